use lazuli::prelude::*;

#[vectorize]
fn f<T: Float>(x: T, y: T) -> T {
    x + y
}

fn main() {
    let (a, b) = (DeviceArray::<f32>::ones([3]), DeviceArray::<f64>::ones([3]));
    let _ = f::call(&a, &b); //~ is not satisfied
}
