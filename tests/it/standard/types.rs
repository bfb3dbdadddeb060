//! Arithmetic between arrays whose types are known when a program runs.

use super::with_file;
use lazuli::prelude::*;

type Operation = fn(&TypedArray, &dyn AnyArray) -> Result<TypedArray>;

#[test]
fn arithmetic_between_types_is_numpys() {
    let types: Vec<DType> = DType::ALL.into_iter().filter(|&t| t != DType::BF16).collect();
    let operations: [(&str, Operation); 15] = [
        ("add", TypedArray::try_add),
        ("subtract", TypedArray::try_subtract),
        ("multiply", TypedArray::try_multiply),
        ("divide", TypedArray::try_divide),
        ("power", TypedArray::try_power),
        ("floor_divide", TypedArray::try_floor_divide),
        ("remainder", TypedArray::try_remainder),
        ("equal", TypedArray::try_equal),
        ("not_equal", TypedArray::try_not_equal),
        ("minimum", TypedArray::try_minimum),
        ("maximum", TypedArray::try_maximum),
        ("less", TypedArray::try_less),
        ("less_equal", TypedArray::try_less_equal),
        ("greater", TypedArray::try_greater),
        ("greater_equal", TypedArray::try_greater_equal),
    ];
    with_file(|file| {
        let of_all_types = |name: &str| -> Vec<TypedArray> {
            let x: TypedArray = file.array::<f64>(name).into();
            types.iter().map(|&t| x.cast_to(t)).collect()
        };
        let (left, right) = (of_all_types("left"), of_all_types("right"));
        for (name, operation) in operations {
            let (mut values, mut numbers) = (Vec::new(), Vec::new());
            for a in &left {
                for b in &right {
                    let found = operation(a, b);
                    let number = |found: &TypedArray| {
                        types.iter().position(|&t| t == found.any_dtype()).unwrap() as i64
                    };
                    numbers.push(found.as_ref().map_or(-1, number));
                    assert!(found.as_ref().err().is_none_or(Error::is_shape), "{name}");
                    let zeros = || DeviceArray::<Complex<f64>>::zeros(3);
                    values.push(found.map_or_else(|_| zeros(), |c| c.cast::<Complex<f64>>()));
                }
            }
            let n = types.len();
            let numbers = DeviceArray::from_vec([n, n], numbers).unwrap();
            file.exact(&format!("pairs_{name}_type"), numbers);
            let values = lazuli::stack(&values, 0).reshape([n, n, 3]);
            file.close(&format!("pairs_{name}"), values);
        }
    });
}

#[test]
fn operators_between_types() {
    let a: TypedArray = DeviceArray::from_slice(&[1i8, 2]).unwrap().into();
    let b = DeviceArray::from_slice(&[0.5f32, 4.0]).unwrap();
    let c = (&a + b.clone()) * &a - &a / DeviceArray::from(2.0);
    assert_eq!(c.any_dtype(), DType::F64);
    assert_eq!(c.cast::<f64>().to_vec().unwrap(), [1.0, 11.0]);
    let (large, negative) = (DeviceArray::from(u64::MAX), DeviceArray::from(-1i64));
    let (large, negative): (TypedArray, TypedArray) = (large.into(), negative.into());
    let truth = |x: TypedArray| x.cast::<bool>().item().unwrap();
    assert!(truth(large.greater(&negative)) && truth(negative.less_equal(&large)));
    assert!(!truth(large.equal(&negative)) && truth(negative.not_equal(&large)));
    let near: TypedArray = DeviceArray::from(i64::MAX).into();
    let above = DeviceArray::from(i64::MAX as u64 + 1);
    assert!(truth(near.less(&above)) && !truth(near.equal(&above)));
    let error = a.try_add(&DeviceArray::<u8>::zeros(3)).unwrap_err();
    assert!(error.to_string().starts_with("add: shapes [2] and [3]"), "{error}");
}
