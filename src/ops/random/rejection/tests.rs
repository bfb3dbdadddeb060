//! The code that a GPU runs, without one: draws by rejection are compiled.

use crate::planned_kernels_tests::compile;
use crate::prelude::*;
use crate::random::Generator;

#[test]
fn kernels_of_draws_compile() {
    Device::cpu().scope(|| {
        let mut g = Generator::new(7);
        let kappa = DeviceArray::<f32>::linspace(0.0, 9.0, 40);
        compile("vonmises", &[&g.vonmises(0.5f64, 2.0, [30, 40])]);
        compile("vonmises of an array", &[&g.vonmises(0.5f32, &kappa, [30, 40])]);
        compile("zipf", &[&g.zipf(2.5, 1000)]);
        compile("logseries", &[&g.logseries(0.4, 1000)]);
        compile("hypergeometric", &[&g.hypergeometric(500, 700, 300, 1000)]);
        let kinds = g.multivariate_hypergeometric(&[200, 300, 500], 40, 1000);
        compile("multivariate_hypergeometric", &[&kinds]);
        compile("noncentral_chisquare", &[&g.noncentral_chisquare(3.0f64, 2.0, 1000)]);
        compile("noncentral_f", &[&g.noncentral_f(3.0f64, 9.0, 2.0, 1000)]);
    });
}
