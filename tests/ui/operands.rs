use lazuli::prelude::*;

fn whole_number(a: &DeviceArray<f64>) -> DeviceArray<f64> {
    a * 2 //~ `{integer}` is no operand beside an array of `f64`
}

fn floats_of_two_types(a: &DeviceArray<f32>, b: &DeviceArray<f64>) -> DeviceArray<f32> {
    a + b //~ `&DeviceArray<f64>` is no operand beside an array of `f32`
}

fn complex_of_two_sizes(
    z: &DeviceArray<Complex<f64>>,
    w: &DeviceArray<Complex<f32>>,
) -> DeviceArray<Complex<f64>> {
    z * w //~ no operand beside an array of
}

fn method(a: &DeviceArray<f64>) -> DeviceArray<f64> {
    a.maximum(0) //~ no operand beside an array of `f64`
}
