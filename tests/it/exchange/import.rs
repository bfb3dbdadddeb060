//! Tensors of another library.

use super::producer::{Layout, Returned, STRUCTURES, Sample, exchange, for_every_type, layouts};
use lazuli::prelude::*;

fn plain(shape: &[i64]) -> Layout {
    Layout { name: "plain", shape: shape.to_vec(), strides: None, first: 0, by_offset: false }
}

fn bits<T: Sample>(values: impl IntoIterator<Item = T>) -> Vec<Vec<u8>> {
    values.into_iter().map(Sample::bits).collect()
}

/// The array of a type that is known, and no other handle.
fn typed<T: Element>(array: TypedArray) -> DeviceArray<T> {
    (&array as &dyn AnyArray).typed_as()
}

fn every_layout<T: Sample>() {
    for layout in layouts() {
        let values = layout.values::<T>();
        let wanted = bits(layout.elements().into_iter().map(|at| values[at]));
        for structure in STRUCTURES {
            let what = format!("{} of {}, {structure:?}", layout.name, T::DTYPE);
            let returned = Returned::default();
            let array = exchange(values.clone(), &layout, structure, &returned, |_| {});
            let array = typed::<T>(array.unwrap());
            assert_eq!((array.shape(), array.device()), (&layout.lengths()[..], Device::cpu()));
            // An array without elements keeps nothing.
            assert_eq!(returned.count(), usize::from(wanted.is_empty()), "{what}");
            // Views of what is a view already.
            if let Some(&rows) = layout.lengths().first().filter(|_| !wanted.is_empty()) {
                let mut backwards: Vec<_> = wanted.chunks(wanted.len() / rows).collect();
                backwards.reverse();
                assert_eq!(bits(array.flip(0).to_vec().unwrap()), backwards.concat(), "{what}");
            }
            assert_eq!(bits(array.to_vec().unwrap()), wanted, "{what}");
            drop(array);
            assert_eq!(returned.count(), 1, "{what}");
        }
    }
}

#[test]
fn every_type_and_layout_arrives_and_goes_back_once() {
    for_every_type!(T => every_layout::<T>());
}

#[test]
fn nothing_is_copied_where_memory_is_in_c_order() {
    let values: Vec<f64> = (0..12).map(f64::sample).collect();
    let address = values.as_ptr();
    let layout = Layout { first: 3, by_offset: true, ..plain(&[3, 3]) };
    let returned = Returned::default();
    let before = lazuli::counters();
    let array = exchange(values, &layout, STRUCTURES[1], &returned, |_| {}).unwrap();
    let array = (&array as &dyn AnyArray).typed_as::<f64>();
    assert_eq!(array.lend(None).unwrap().as_ptr(), address.wrapping_add(3));
    assert_eq!(lazuli::counters(), before);
}

#[test]
fn strides_are_read_by_the_kernel_that_computes() {
    let layout = Layout { strides: Some(vec![1, 3]), ..plain(&[3, 4]) };
    let returned = Returned::default();
    let array =
        exchange(layout.values::<i64>(), &layout, STRUCTURES[1], &returned, |_| {}).unwrap();
    let array = (&array as &dyn AnyArray).typed_as::<i64>();
    let before = lazuli::counters();
    let sum = (&array * 2).sum(1);
    let host: Vec<i64> = layout.elements().iter().map(|&k| i64::sample(k)).collect();
    let wanted: Vec<i64> = host
        .chunks(4)
        .map(|row| row.iter().fold(0i64, |s, x| s.wrapping_add(x.wrapping_mul(2))))
        .collect();
    assert_eq!(sum.to_vec().unwrap(), wanted);
    let after = lazuli::counters();
    assert_eq!((after.kernels - before.kernels, after.allocated - before.allocated), (1, 24));
}

#[test]
fn matrices_of_any_strides_are_multiplied() {
    let layout = Layout { strides: Some(vec![1, 5]), first: 2, by_offset: true, ..plain(&[3, 4]) };
    let values: Vec<f64> = (0..40).map(f64::from).collect();
    let returned = Returned::default();
    let a = exchange(values.clone(), &layout, STRUCTURES[1], &returned, |_| {}).unwrap();
    let a = (&a as &dyn AnyArray).typed_as::<f64>();
    let host: Vec<f64> = layout.elements().iter().map(|&at| values[at]).collect();
    let product = Device::cpu().scope(|| a.matmul(&a.t())).to_vec().unwrap();
    for (k, value) in product.iter().enumerate() {
        let (i, j) = (k / 3, k % 3);
        let wanted: f64 = (0..4).map(|m| host[i * 4 + m] * host[j * 4 + m]).sum();
        assert_eq!(*value, wanted);
    }
}

#[test]
fn expressions_keep_the_tensor_and_evaluation_lets_it_go() {
    let returned = Returned::default();
    let layout = plain(&[5]);
    let values = vec![1.0f64, 2.0, 3.0, 4.0, 5.0];
    let array = exchange(values, &layout, STRUCTURES[0], &returned, |_| {}).unwrap();
    let double = (&array as &dyn AnyArray).typed_as::<f64>() * 2.0;
    drop(array);
    assert_eq!(returned.count(), 0);
    let clone = double.clone();
    double.eval().unwrap();
    assert_eq!(returned.count(), 1);
    drop(double);
    assert_eq!(clone.to_vec().unwrap(), [2.0, 4.0, 6.0, 8.0, 10.0]);
    assert_eq!(returned.count(), 1);
}

#[test]
fn the_last_holder_gives_the_tensor_back_from_its_own_thread() {
    let returned = Returned::default();
    let array = exchange(vec![1i32, 2, 3], &plain(&[3]), STRUCTURES[1], &returned, |_| {}).unwrap();
    let there = std::thread::spawn(move || {
        assert_eq!(array.cast::<i32>().sum(..).item().unwrap(), 6);
        drop(array);
        std::thread::current().id()
    });
    let there = there.join().unwrap();
    assert_eq!(returned.threads(), [there]);
}

/// Whoever gets a tensor back may compute with Lazuli.
#[test]
fn owners_go_when_no_evaluation_is_under_way() {
    use lazuli::exchange::RawParts;
    struct Computes(std::sync::mpsc::Sender<f64>, #[allow(dead_code)] Vec<f64>);
    impl Drop for Computes {
        fn drop(&mut self) {
            let total = DeviceArray::<f64>::ones(7).cumsum(0).sum(..).item();
            self.0.send(total.unwrap_or(f64::NAN)).unwrap();
        }
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    let values = vec![1.0, 2.0];
    let parts = RawParts::new(Device::cpu(), values.as_ptr(), 2);
    // SAFETY: the values live as long as their owner.
    let a = unsafe { DeviceArray::<f64>::from_raw_parts(parts, Computes(sender, values)) }.unwrap();
    let b = &a + 1.0;
    drop(a);
    b.eval().unwrap();
    assert_eq!(receiver.try_recv(), Ok(28.0));
}

#[test]
fn foreign_memory_is_never_written() {
    let values = vec![1i64; 16];
    let address = values.as_ptr();
    let returned = Returned::default();
    let array = exchange(values, &plain(&[16]), STRUCTURES[1], &returned, |_| {}).unwrap();
    let mut a = (&array as &dyn AnyArray).typed_as::<i64>();
    drop(array);
    // Whatever could write in place: a slice, a scatter, a kernel.
    a.assign(s![2..5], 7);
    a.eval().unwrap();
    assert_eq!(returned.count(), 1);
    assert_eq!(a.sum(..).item().unwrap(), 13 + 21);
    drop(a);

    let values = vec![1i64; 16];
    assert!(!address.is_null());
    let here = values.as_ptr();
    let keep = std::sync::Arc::new(values);
    let mut b = DeviceArray::adopt(keep.clone()).unwrap();
    for k in 0..12 {
        b.assign(s![k], 5);
    }
    let index = Device::cpu().scope(|| DeviceArray::from_slice(&[15i64]).unwrap());
    let b = b.with_put(&index, 9, 0);
    assert_eq!(b.sum(..).item().unwrap(), 12 * 5 + 3 + 9);
    assert_eq!(keep[..], [1; 16]);
    assert_eq!(keep.as_ptr(), here);

    #[kernel]
    fn fill(x: lazuli::gpu::ArrayMut<i64, 1>) {
        let i = lazuli::gpu::grid::<1>();
        if i < x.len() {
            x[i] = 3;
        }
    }
    let mut c = DeviceArray::adopt(keep.clone()).unwrap();
    fill.launch(1, 16, (&mut c,)).unwrap();
    assert_eq!(c.to_vec().unwrap(), [3; 16]);
    assert_eq!(keep[..], [1; 16]);
}
