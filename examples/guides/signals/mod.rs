//! Signals and their spectra.

use super::common::picture::{Picture, colours};
use super::common::plot::{BLUE, GREY, ORANGE, Plot, RED};
use super::{Entry, Outcome, host, photograph, wide};
use lazuli::DeviceArray;

mod beats;
mod compress;
mod rates;
mod smooth;
mod spectrum;
mod sweep;

pub const ENTRIES: [Entry; 6] = [
    Entry { name: "spectrum", draw: spectrum },
    Entry { name: "smooth", draw: smoothed },
    Entry { name: "sweep", draw: sweep },
    Entry { name: "beats", draw: beats },
    Entry { name: "compress", draw: compressed },
    Entry { name: "rates", draw: rates },
];

fn spectrum(n: usize) -> Outcome<Picture> {
    let signal = spectrum::two_tones(8192);
    let (f, power) = spectrum::power(&signal, 1000.0);
    let (once_f, once) = spectrum::single(&signal, 1000.0);
    let log = |power: DeviceArray<f64>| power.log10().to_vec();
    let plot = Plot::new(wide(n), (0.0, 500.0), (-7.0, 0.0))
        .line(&once_f.to_vec()?, &log(once)?, GREY)
        .line(&f.to_vec()?, &log(power)?, BLUE);
    Ok(plot.picture())
}

fn smoothed(n: usize) -> Outcome<Picture> {
    let (t, noisy) = smooth::noisy(1000);
    let clean = smooth::low_passed(&noisy, 500.0)?;
    let t = t.to_vec()?;
    let plot = Plot::new(wide(n), (0.0, 2.0), (-2.5, 2.5)).line(&t, &noisy.to_vec()?, GREY).line(
        &t,
        &clean.to_vec()?,
        BLUE,
    );
    Ok(plot.picture())
}

fn sweep(n: usize) -> Outcome<Picture> {
    let (_, _, levels) = sweep::levels(16_000);
    let shade = host(&((levels + 60.0) / 60.0))?;
    let plot = Plot::new(wide(n), (0.0, 2.0), (0.0, 4000.0));
    Ok(plot.map(shade.view(), &colours::EMBER, 24).picture())
}

fn beats(n: usize) -> Outcome<Picture> {
    let (t, pulse) = beats::pulse(1000);
    let found = beats::beats(&pulse)?;
    let (t, pulse) = (t.to_vec()?, pulse.to_vec()?);
    let [at, heights] = [&t, &pulse].map(|all| found.iter().map(|&k| all[k]).collect::<Vec<_>>());
    let plot = Plot::new(wide(n), (0.0, 10.0), (-0.7, 1.7));
    Ok(plot.line(&t, &pulse, BLUE).points(&at, &heights, 3.0, RED).picture())
}

fn rates(n: usize) -> Outcome<Picture> {
    let samples = rates::wave(16);
    let [periodic, filtered] = rates::five_times(&samples);
    let places = |n: usize| (0..n).map(|k| k as f64 * 16.0 / n as f64).collect::<Vec<_>>();
    let plot = Plot::new(wide(n), (0.0, 16.0), (-2.0, 2.0))
        .line(&places(80), &filtered.to_vec()?, ORANGE)
        .line(&places(80), &periodic.to_vec()?, BLUE)
        .points(&places(16), &samples.to_vec()?, 2.5, [0.0; 3]);
    Ok(plot.picture())
}

fn compressed(n: usize) -> Outcome<Picture> {
    let n = n / 8 * 8;
    let short = compress::kept(&photograph(n)?, 0.05)?.clip(0.0, 1.0);
    Ok(Picture::scaled(host(&short)?.view(), &colours::GREY, 12))
}
