use super::*;

#[test]
fn every_part_runs_once() {
    for count in [0, 1, 2, 3, 16, 1000] {
        let times: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
        parts(count, |k| {
            times[k].fetch_add(1, Ordering::Relaxed);
        });
        assert!(times.iter().all(|t| t.load(Ordering::Relaxed) == 1), "{count} parts");
    }
}

#[test]
fn parts_within_parts_and_from_many_threads() {
    let sum = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    parts(7, |k| {
                        parts(5, |j| {
                            sum.fetch_add(k * j, Ordering::Relaxed);
                        });
                    });
                }
            });
        }
    });
    assert_eq!(sum.into_inner(), 8 * 50 * 21 * 10);
}

#[test]
fn a_panic_of_a_part_is_the_callers_after_all_have_ended() {
    let done = AtomicUsize::new(0);
    let run = || {
        parts(20, |k| {
            assert!(k != 11, "part eleven");
            done.fetch_add(1, Ordering::Relaxed);
        });
    };
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
    assert_eq!(*panic.downcast::<&str>().unwrap(), "part eleven");
    assert_eq!(done.into_inner(), 19);
}
#[test]
fn what_is_inside_runs_on_one_of_the_pools_threads() {
    assert!(!is_worker());
    let sum = inside(|| {
        assert!(is_worker() && rayon::current_thread_index().is_some());
        // A thread of the pool stays where it is.
        let here = thread::current().id();
        assert_eq!(inside(|| thread::current().id()), here);
        (0..1000usize)
            .into_par_iter()
            .map(|k| {
                assert!(is_worker());
                k
            })
            .sum::<usize>()
    });
    assert_eq!(sum, 499_500);
    each(100, |_| assert!(is_worker() || threads() == 1));
    each(1, |_| assert!(!is_worker()));
}

#[test]
fn a_panic_inside_is_the_callers() {
    let run = || inside(|| -> usize { panic!("inside") });
    let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    assert_eq!(*panic.downcast::<&str>().unwrap(), "inside");
    assert_eq!(inside(|| 7), 7);
}

#[test]
fn as_many_threads_as_a_test_asks_for() {
    for count in [1, 2, 5] {
        with_threads(count, || {
            assert_eq!(threads(), count);
            assert_eq!(inside(|| (threads(), rayon::current_num_threads())), (count, count));
            let times = AtomicUsize::new(0);
            parts(100, |k| {
                times.fetch_add(k, Ordering::Relaxed);
            });
            each(100, |k| {
                times.fetch_add(k, Ordering::Relaxed);
            });
            assert_eq!(times.into_inner(), 2 * 4950);
        });
    }
}

#[test]
fn a_thread_that_waits_takes_up_no_other_work() {
    // In a pool of one thread, whose other task would run where this one waited by stealing.
    let other = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (ran, busy) = (AtomicUsize::new(0), AtomicBool::new(false));
    other.scope(|scope| {
        scope.spawn(|scope| {
            scope.spawn(|_| {
                assert!(!busy.load(Ordering::Relaxed), "a task within another one's work");
                ran.fetch_add(1, Ordering::Relaxed);
            });
            busy.store(true, Ordering::Relaxed);
            inside(|| thread::sleep(std::time::Duration::from_millis(5)));
            each(50, |_| thread::sleep(std::time::Duration::from_micros(100)));
            parts(50, |_| thread::sleep(std::time::Duration::from_micros(100)));
            busy.store(false, Ordering::Relaxed);
        });
    });
    assert_eq!(ran.into_inner(), 1);
}
