use super::plans::with_plans;
use super::{between_evaluations, evaluate};
use crate::backend::pool;
use crate::prelude::*;

#[test]
fn an_evaluation_inside_of_another_is_an_error_and_no_hang() {
    let a = DeviceArray::<f64>::ones([3]) + 1.0;
    let inner = || evaluate(std::slice::from_ref(a.node()));
    for error in
        [with_plans(|_| Ok(inner())).unwrap().unwrap_err(), pool::inside(inner).unwrap_err()]
    {
        assert!(error.is_unsupported(), "{error}");
    }
    assert!(with_plans(|_| Ok(between_evaluations(|_| ()))).unwrap().is_none());
    // It leaves no trace.
    assert_eq!(a.to_vec().unwrap(), [2.0; 3]);
    assert!(between_evaluations(|_| ()).is_some());
}
