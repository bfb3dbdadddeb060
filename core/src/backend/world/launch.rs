//! Which process of a run this one is: the launcher says so in the environment.
//!
//! | launcher | rank, size | rank within the host | where processes meet |
//! | --- | --- | --- | --- |
//! | torchrun | `RANK`, `WORLD_SIZE` | `LOCAL_RANK` | `MASTER_ADDR`, `MASTER_PORT` |
//! | Open MPI | `OMPI_COMM_WORLD_RANK`, `…_SIZE` | `OMPI_COMM_WORLD_LOCAL_RANK` | on one host by the launcher's process |
//! | MPICH, Intel MPI (hydra) | `PMI_RANK`, `PMI_SIZE` | `MPI_LOCALRANKID` | on one host by the launcher's process |
//! | Slurm | `SLURM_PROCID`, `SLURM_STEP_NUM_TASKS` | `SLURM_LOCALID` | the first host of `SLURM_STEP_NODELIST` |
//!
//! `MASTER_ADDR` and `MASTER_PORT` say it for every launcher where they are set.

use crate::error::{Error, Result};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// What a launcher says of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Launch {
    /// The launcher's name.
    pub by: &'static str,
    /// The number of this process.
    pub rank: usize,
    /// The number of processes.
    pub size: usize,
    /// The number of this process among those of its host.
    pub local_rank: usize,
    /// Where the processes meet; none where only MPI knows.
    pub meeting: Option<Meeting>,
}

/// Where processes meet before they can send each other anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Meeting {
    /// The host of rank 0.
    pub host: String,
    /// The first of the ports of which one is taken.
    pub port: u16,
    /// A number that processes of another run do not have.
    pub token: u64,
}

/// The variables of one launcher.
struct Launcher {
    name: &'static str,
    rank: &'static str,
    size: &'static str,
    local_rank: &'static str,
    local_size: &'static str,
}

const LAUNCHERS: [Launcher; 4] = [
    Launcher {
        name: "torchrun",
        rank: "RANK",
        size: "WORLD_SIZE",
        local_rank: "LOCAL_RANK",
        local_size: "LOCAL_WORLD_SIZE",
    },
    Launcher {
        name: "Open MPI",
        rank: "OMPI_COMM_WORLD_RANK",
        size: "OMPI_COMM_WORLD_SIZE",
        local_rank: "OMPI_COMM_WORLD_LOCAL_RANK",
        local_size: "OMPI_COMM_WORLD_LOCAL_SIZE",
    },
    Launcher {
        name: "mpiexec",
        rank: "PMI_RANK",
        size: "PMI_SIZE",
        local_rank: "MPI_LOCALRANKID",
        local_size: "MPI_LOCALNRANKS",
    },
    // A batch script has `SLURM_PROCID`, too; the number of a step's tasks comes from `srun` alone.
    Launcher {
        name: "Slurm",
        rank: "SLURM_PROCID",
        size: "SLURM_STEP_NUM_TASKS",
        local_rank: "SLURM_LOCALID",
        local_size: "SLURM_STEP_TASKS_PER_NODE",
    },
];

/// What stands in the environment, and the number of the process that started this one.
pub(super) struct Surroundings<'a> {
    /// A variable's value.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The number of the parent process.
    pub parent: u64,
}

impl Launch {
    /// What the launcher says of this process; none where there is no launcher.
    ///
    /// # Errors
    /// Where a variable is no number, or the rank is none of the run's.
    pub(super) fn of(here: &Surroundings) -> Result<Option<Launch>> {
        let there =
            |l: &&Launcher| (here.variable)(l.rank).is_some() && (here.variable)(l.size).is_some();
        let Some(launcher) = LAUNCHERS.iter().find(there) else { return Ok(None) };
        let (rank, size) = (here.number(launcher.rank)?, here.number(launcher.size)?);
        if rank >= size {
            let (rank_name, size_name) = (launcher.rank, launcher.size);
            return Err(Error::device(format!(
                "{rank_name} is {rank} and {size_name} is {size}: a rank is below the size"
            )));
        }
        let local_rank = match (here.variable)(launcher.local_rank) {
            Some(_) => here.number(launcher.local_rank)?,
            None => rank,
        };
        let is_one_host =
            (here.variable)(launcher.local_size).is_some_and(|local| local.parse() == Ok(size));
        let meeting = here.meeting(launcher, is_one_host)?;
        Ok(Some(Launch { by: launcher.name, rank, size, local_rank, meeting }))
    }
}

impl Surroundings<'_> {
    fn number(&self, name: &str) -> Result<usize> {
        let text = (self.variable)(name).unwrap_or_default();
        text.trim().parse().map_err(|_| {
            Error::device(format!("the environment variable {name} is {text:?}, and no number"))
        })
    }

    fn meeting(&self, launcher: &Launcher, is_one_host: bool) -> Result<Option<Meeting>> {
        // What processes of one run have in common and others do not.
        const RUN: [&str; 4] =
            ["TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID"];
        let mut hasher = FxHasher::default();
        RUN.map(|name| (self.variable)(name)).hash(&mut hasher);
        if is_one_host && launcher.name != "torchrun" && launcher.name != "Slurm" {
            self.parent.hash(&mut hasher);
        }
        let token = hasher.finish();
        if let Some(host) = (self.variable)("MASTER_ADDR") {
            let port = match (self.variable)("MASTER_PORT") {
                Some(_) => self.number("MASTER_PORT")?,
                None => 29_500,
            };
            let fits = u16::try_from(port + 1).map_err(|_| {
                Error::device(format!("MASTER_PORT is {port}, and ports end at 65535"))
            });
            // The port itself is that of the launcher's own store.
            return Ok(Some(Meeting { host, port: fits?, token }));
        }
        // Above the ports of services and below those that systems give out.
        let port = 20_000 + (token % 10_000) as u16;
        if is_one_host {
            return Ok(Some(Meeting { host: "127.0.0.1".to_owned(), port, token }));
        }
        let nodes = (self.variable)("SLURM_STEP_NODELIST").filter(|_| launcher.name == "Slurm");
        Ok(nodes.map(|nodes| Meeting { host: first_node(&nodes), port, token }))
    }
}

/// The first of Slurm's hosts: `gpu7` of `gpu[7-9,12]`, `a1` of `a1,b2`.
fn first_node(nodes: &str) -> String {
    match nodes.find(['[', ',']) {
        Some(at) if nodes[at..].starts_with('[') => {
            let inside = nodes[at + 1..].split([']', ',', '-']).next().unwrap_or_default();
            format!("{}{inside}", &nodes[..at])
        }
        Some(at) => nodes[..at].to_owned(),
        None => nodes.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(variables: &[(&str, &str)]) -> Result<Option<Launch>> {
        let variable = |name: &str| {
            variables.iter().find(|known| known.0 == name).map(|known| known.1.to_owned())
        };
        Launch::of(&Surroundings { variable: &variable, parent: 17 })
    }

    #[test]
    fn each_launcher_says_who_we_are() {
        assert_eq!(launch(&[]).unwrap(), None);
        let torchrun = [
            ("RANK", "5"),
            ("WORLD_SIZE", "8"),
            ("LOCAL_RANK", "1"),
            ("MASTER_ADDR", "host3"),
            ("MASTER_PORT", "4000"),
        ];
        let found = launch(&torchrun).unwrap().unwrap();
        assert_eq!((found.by, found.rank, found.size, found.local_rank), ("torchrun", 5, 8, 1));
        let meeting = found.meeting.unwrap();
        assert_eq!((&meeting.host[..], meeting.port), ("host3", 4001));
        let hydra = [
            ("PMI_RANK", "1"),
            ("PMI_SIZE", "4"),
            ("MPI_LOCALRANKID", "1"),
            ("MPI_LOCALNRANKS", "4"),
        ];
        let found = launch(&hydra).unwrap().unwrap();
        assert_eq!((found.by, found.rank, found.size, found.local_rank), ("mpiexec", 1, 4, 1));
        assert_eq!(found.meeting.unwrap().host, "127.0.0.1");
        let two_hosts = [("PMI_RANK", "1"), ("PMI_SIZE", "4"), ("MPI_LOCALNRANKS", "2")];
        assert_eq!(launch(&two_hosts).unwrap().unwrap().meeting, None);
        let open_mpi = [("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "2")];
        assert_eq!(launch(&open_mpi).unwrap().unwrap().by, "Open MPI");
        let slurm = [
            ("SLURM_PROCID", "3"),
            ("SLURM_STEP_NUM_TASKS", "4"),
            ("SLURM_LOCALID", "1"),
            ("SLURM_STEP_NODELIST", "gpu[07-09,12]"),
            ("SLURM_JOB_ID", "99"),
        ];
        let found = launch(&slurm).unwrap().unwrap();
        assert_eq!((found.rank, found.local_rank), (3, 1));
        assert_eq!(found.meeting.unwrap().host, "gpu07");
        // A batch script by itself is one process.
        assert_eq!(launch(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")]).unwrap(), None);
    }

    #[test]
    fn what_is_no_number_is_named() {
        let error = launch(&[("RANK", "x"), ("WORLD_SIZE", "2")]).unwrap_err().to_string();
        assert!(error.contains("RANK is \"x\""), "{error}");
        let error = launch(&[("RANK", "2"), ("WORLD_SIZE", "2")]).unwrap_err().to_string();
        assert!(error.contains("RANK is 2 and WORLD_SIZE is 2"), "{error}");
        let far =
            [("RANK", "0"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "a"), ("MASTER_PORT", "65535")];
        assert!(launch(&far).unwrap_err().to_string().contains("ports end at 65535"));
    }

    #[test]
    fn the_first_of_the_nodes() {
        for (nodes, first) in
            [("a", "a"), ("a1,b2", "a1"), ("gpu[7-9,12]", "gpu7"), ("n[03,07]", "n03")]
        {
            assert_eq!(first_node(nodes), first);
        }
    }
}
