//! A compiled kernel with what its launches have in common.

use super::device::CudaDevice;
use super::launch::{Function, LaunchShape};
use super::render::{Rendered, Template, TurnForm};
use crate::backend::{Arguments, Buffer, Compiled};
use crate::error::{Error, Result};
use smallvec::SmallVec;
use std::sync::Arc;

/// A compiled kernel with everything of its launch but addresses and scalars.
pub(super) struct Executable {
    pub(super) function: Arc<Function>,
    pub(super) shape: LaunchShape,
    pub(super) template: Template,
    scratch_bytes: usize,
    /// The counters that it needs.
    pub(super) counters: usize,
    pub(super) turns: Option<TurnForm>,
    /// The most turns of a launch, where its argument says how many it takes.
    pub(super) at_a_time: Option<u64>,
}

/// The bytes of a launch's argument.
pub(super) type Argument = SmallVec<[u8; 512]>;

impl Executable {
    pub(super) fn new(function: Arc<Function>, rendered: Rendered) -> Self {
        let (grid, block) = (rendered.grid, rendered.block);
        Executable {
            function,
            shape: LaunchShape { grid, block, shared: rendered.shared_bytes },
            template: rendered.template,
            scratch_bytes: rendered.scratch_bytes,
            counters: rendered.counters,
            turns: rendered.turns,
            at_a_time: rendered.at_a_time,
        }
    }

    /// A kernel that was written by hand, whose argument has no buffers to be filled in.
    pub(super) fn fixed(function: Arc<Function>, shape: LaunchShape) -> Self {
        Executable {
            function,
            shape,
            template: Template::default(),
            scratch_bytes: 0,
            counters: 0,
            turns: None,
            at_a_time: None,
        }
    }

    /// The bytes of the argument for these buffers and scalars.
    pub(super) fn argument(&self, arguments: &Arguments) -> Argument {
        let inputs: SmallVec<[u64; 8]> = arguments.input_addresses().collect();
        let outputs: SmallVec<[u64; 8]> = arguments.output_addresses().collect();
        self.bytes_for(&inputs, &outputs, arguments)
    }

    /// The same for arrays at these addresses.
    pub(super) fn bytes_for(
        &self,
        inputs: &[u64],
        outputs: &[u64],
        arguments: &Arguments,
    ) -> Argument {
        let template = &self.template;
        let mut bytes = SmallVec::from_slice(&template.bytes);
        for (&address, at) in inputs.iter().zip(&template.inputs) {
            Template::write_address(&mut bytes, *at, address);
        }
        for (&address, at) in outputs.iter().zip(&template.outputs) {
            Template::write_address(&mut bytes, *at, address);
        }
        for (scalar, at) in arguments.scalars.iter().zip(&template.scalars) {
            if let Some(at) = at {
                Template::write_scalar(&mut bytes, *at, scalar);
            }
        }
        bytes
    }

    /// Arguments with the scratch memory and the counters of the kernel in place.
    pub(super) fn with_memory<const N: usize>(
        &self,
        device: &'static CudaDevice,
        mut arguments: [Argument; N],
    ) -> Result<(Option<Buffer>, [Argument; N])> {
        let scratch = self.scratch(device)?;
        let counters = match self.counters {
            0 => None,
            count => Some(device.counters(count)?),
        };
        for argument in &mut arguments {
            self.place(argument, scratch.as_ref(), counters);
        }
        Ok((scratch, arguments))
    }

    /// The scratch memory of a launch.
    pub(super) fn scratch(&self, device: &'static CudaDevice) -> Result<Option<Buffer>> {
        match self.scratch_bytes {
            0 => Ok(None),
            bytes => device.allocate(bytes).map(Some),
        }
    }

    /// Writes where scratch memory and counters are.
    pub(super) fn place(
        &self,
        argument: &mut Argument,
        scratch: Option<&Buffer>,
        counters: Option<u64>,
    ) {
        let address = scratch.map_or(0, Buffer::address);
        Template::write_address(argument, self.template.scratch, address);
        if let Some(counters) = counters {
            Template::write_address(argument, self.template.counters, counters);
        }
    }
}

/// What a CUDA device made of a kernel.
pub(super) fn executable_of<T: 'static>(compiled: &Compiled) -> Result<&T> {
    compiled
        .executable
        .downcast_ref()
        .ok_or_else(|| Error::device("a kernel of another device".to_string()))
}
