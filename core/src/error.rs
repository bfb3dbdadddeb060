//! The one error type of the crate.

use std::fmt;
use std::panic::Location;

/// What went wrong, as a class that a program can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Shape,
    Device,
    OutOfMemory,
    Compile,
    Unsupported,
    Numeric,
    Panic,
    Io,
}

/// Anything that can go wrong while recording, planning or evaluating an expression.
///
/// The error is opaque: ask for its class with the predicates, print it for the details. The
/// message names the operation, the shapes involved and, where it is known, the line of the
/// caller.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::zeros([3, 4]);
/// let b = DeviceArray::<f64>::zeros([2, 4]);
/// let error = a.try_add(&b).unwrap_err();
/// assert!(error.is_shape());
/// assert!(error.to_string().starts_with("add: shapes [3, 4] and [2, 4] cannot be broadcast"));
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: Kind,
    /// The public operation that failed, where the message may name another one that it is made of.
    operation: Option<&'static str>,
    message: String,
    /// The function that panicked, until the element is known.
    function: Option<Box<str>>,
    location: Option<&'static Location<'static>>,
}

/// The crate's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    fn new(kind: Kind, message: impl Into<String>) -> Self {
        let message = message.into();
        Error(Box::new(Inner { kind, operation: None, message, function: None, location: None }))
    }

    /// A mistake in shapes, axes, slices or other arguments.
    #[doc(hidden)]
    pub fn shape(message: impl Into<String>) -> Self {
        Self::new(Kind::Shape, message)
    }

    /// A device, driver or library that is missing or fails.
    #[doc(hidden)]
    pub fn device(message: impl Into<String>) -> Self {
        Self::new(Kind::Device, message)
    }

    /// An allocation that failed even after the caches were released.
    #[doc(hidden)]
    pub fn out_of_memory(message: impl Into<String>) -> Self {
        Self::new(Kind::OutOfMemory, message)
    }

    /// A kernel that failed to compile; the message holds its source and the compiler's log.
    #[doc(hidden)]
    pub fn compile(message: impl Into<String>) -> Self {
        Self::new(Kind::Compile, message)
    }

    /// Something that this device cannot do.
    #[doc(hidden)]
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Kind::Unsupported, message)
    }

    /// Values for which there is no result.
    #[doc(hidden)]
    pub fn numeric(message: impl Into<String>) -> Self {
        Self::new(Kind::Numeric, message)
    }

    /// A function of the program's that panicked.
    #[doc(hidden)]
    pub fn panic(function: &str, why: impl fmt::Display) -> Self {
        let mut error = Self::new(Kind::Panic, format!("{function}: the function panicked: {why}"));
        error.0.function = Some(function.into());
        error
    }

    /// The function that panicked, where the element for which it did is not known yet.
    #[doc(hidden)]
    pub fn panicked(&self) -> Option<&str> {
        self.0.function.as_deref()
    }

    /// Names the element for which a function panicked.
    #[doc(hidden)]
    pub fn for_element(mut self, element: &str) -> Self {
        self.0.function = None;
        self.0.message += element;
        self
    }

    /// A file that cannot be read or written.
    #[doc(hidden)]
    pub fn io(message: impl Into<String>) -> Self {
        Self::new(Kind::Io, message)
    }

    /// Adds the caller's line. What calls other public functions replaces the line that they
    /// noted, so that the outermost caller, the user, stays.
    #[doc(hidden)]
    pub fn at(mut self, location: &'static Location<'static>) -> Self {
        self.0.location = Some(location);
        self
    }

    /// Adds the operation that was asked for, of which the one that found the mistake may be a
    /// part. The outermost stays, as with [`at`](Self::at).
    #[cold]
    #[doc(hidden)]
    pub fn in_operation(mut self, name: &'static str) -> Self {
        self.0.operation = Some(name);
        self
    }

    /// Says which operation had no memory, where the message does not say it.
    #[cold]
    #[doc(hidden)]
    pub fn in_step(mut self, name: &str) -> Self {
        let message = &mut self.0.message;
        if self.0.kind == Kind::OutOfMemory && !message.starts_with(name) {
            *message = format!("{name}: {message}");
        }
        self
    }

    /// Whether shapes, axes, slices or other arguments do not fit together.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert!(DeviceArray::<f64>::zeros(3).try_reshape([2, 2]).is_err_and(|e| e.is_shape()));
    /// ```
    pub fn is_shape(&self) -> bool {
        self.0.kind == Kind::Shape
    }

    /// Whether a device, its driver or one of its libraries is missing or failed.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert!("tpu".parse::<Device>().is_err_and(|e| e.is_device()));
    /// ```
    pub fn is_device(&self) -> bool {
        self.0.kind == Kind::Device
    }

    /// Whether the device ran out of memory.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let huge = Device::cpu().scope(|| DeviceArray::<f64>::zeros([1 << 50]).eval());
    /// assert!(huge.is_err_and(|e| e.is_out_of_memory()));
    /// ```
    pub fn is_out_of_memory(&self) -> bool {
        self.0.kind == Kind::OutOfMemory
    }

    /// Whether a kernel failed to compile.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::ElementwiseKernel;
    /// // SAFETY: the code assigns its output a number.
    /// let kernel = unsafe { ElementwiseKernel::new("no list", "T y", "y = 1", "one") };
    /// assert!(kernel.is_err_and(|e| e.is_compile()));
    /// ```
    pub fn is_compile(&self) -> bool {
        self.0.kind == Kind::Compile
    }

    /// Whether the operation is not available on this device.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let module = Device::cpu().scope(|| lazuli::RawModule::from_source(""));
    /// assert!(module.is_err_and(|e| e.is_unsupported()));
    /// ```
    pub fn is_unsupported(&self) -> bool {
        self.0.kind == Kind::Unsupported
    }

    /// Whether the values have no result: a singular matrix, one that is not positive definite,
    /// an iteration that does not converge.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let inverse = DeviceArray::<f64>::zeros([2, 2]).inverse();
    /// assert!(inverse.eval().is_err_and(|e| e.is_numeric()));
    /// ```
    pub fn is_numeric(&self) -> bool {
        self.0.kind == Kind::Numeric
    }

    /// Whether a function of the program's, as one with `#[vectorize]`, panicked on the processor.
    /// The message names the function, the element and the line.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// #[vectorize]
    /// fn chosen(k: i32) -> i32 {
    ///     let choices = [10, 20, 30];
    ///     choices[k as usize]
    /// }
    /// let k = Device::cpu().scope(|| DeviceArray::from_slice(&[0, 2, 7])).unwrap();
    /// let error = chosen::call(&k).to_vec().unwrap_err();
    /// assert!(error.is_panic());
    /// assert!(error.to_string().contains("the len is 3 but the index is 7"));
    /// ```
    pub fn is_panic(&self) -> bool {
        self.0.kind == Kind::Panic
    }

    /// Whether a file could not be read or written.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert!(DeviceArray::<f64>::read_npy("no/such/file.npy").is_err_and(|e| e.is_io()));
    /// ```
    pub fn is_io(&self) -> bool {
        self.0.kind == Kind::Io
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = &self.0.message;
        let names =
            |name: &str| message.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
        if let Some(name) = self.0.operation.filter(|name| !names(name)) {
            write!(f, "{name}: ")?;
        }
        f.write_str(message)?;
        match self.0.location {
            Some(at) => write!(f, " ({}:{}:{})", at.file(), at.line(), at.column()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {}
