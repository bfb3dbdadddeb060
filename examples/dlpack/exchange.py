"""Arrays of NumPy, PyTorch and CuPy through Lazuli and back, without copies, by DLPack.

    cargo build --release --example dlpack
    python3 examples/dlpack/exchange.py target/release/examples/libdlpack.so

Tries every library that is installed, on the processor and on the first GPU; `--require numpy torch
cupy cuda` fails where one of these is missing. Lazuli needs libnvrtc on a GPU: where only a Python
package has it, put its folder into LD_LIBRARY_PATH.
"""

import argparse
import ctypes
import gc
import threading

CAPSULE = ctypes.py_object
NAMES = {True: b"dltensor_versioned", False: b"dltensor"}

api = ctypes.pythonapi
api.PyCapsule_New.restype = CAPSULE
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [CAPSULE, ctypes.c_char_p]
api.PyCapsule_IsValid.argtypes = [CAPSULE, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [CAPSULE, ctypes.c_char_p]
# Capsules keep the address of their names, so that these must stay.
USED = {True: b"used_dltensor_versioned", False: b"used_dltensor"}


class Lazuli:
    """The C library."""

    def __init__(self, path):
        lib = ctypes.CDLL(path)
        pointer = ctypes.c_void_p
        lib.lz_error.restype = ctypes.c_char_p
        lib.lz_import.argtypes = [pointer, ctypes.c_bool, ctypes.c_int64, ctypes.POINTER(pointer)]
        lib.lz_compute.argtypes = [pointer, ctypes.POINTER(pointer)]
        lib.lz_export.argtypes = [pointer, ctypes.c_bool, ctypes.c_bool, ctypes.c_int64,
                                  ctypes.POINTER(pointer)]
        lib.lz_free.argtypes = [pointer]
        lib.lz_allocated.restype = ctypes.c_uint64
        lib.lz_stream.argtypes = [ctypes.c_size_t]
        lib.lz_stream.restype = ctypes.c_int64
        self.lib = lib

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.lib.lz_error().decode())

    def call(self, name, *args):
        out = ctypes.c_void_p()
        self.check(getattr(self.lib, name)(*args, ctypes.byref(out)))
        return out.value

    def take(self, capsule, stream=-1):
        """An array of what `__dlpack__` gave."""
        versioned = bool(api.PyCapsule_IsValid(capsule, NAMES[True]))
        address = api.PyCapsule_GetPointer(capsule, NAMES[versioned])
        api.PyCapsule_SetName(capsule, USED[versioned])
        return Array(self, self.call("lz_import", address, versioned, stream))


class Array:
    """An array of Lazuli's: what other libraries' `from_dlpack` takes."""

    def __init__(self, lazuli, handle, device=(1, 0)):
        self.lazuli, self.handle, self.device = lazuli, handle, device

    def compute(self):
        handle = self.lazuli.call("lz_compute", self.handle)
        return Array(self.lazuli, handle, self.device)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None, max_version=None, **_):
        versioned = max_version is not None and max_version[0] >= 1
        return self.export(versioned, False, stream)

    def export(self, versioned, own, stream=None):
        # Python's `None` is the default stream on a GPU; on the processor there is none.
        handle = 1 if stream is None and self.device[0] == 2 else stream
        handle = -1 if handle is None else handle
        address = self.lazuli.call("lz_export", self.handle, own, versioned, handle)
        if own:
            self.handle = None
        # A consumer takes it at once, so that the capsule needs no destructor.
        return api.PyCapsule_New(address, NAMES[versioned], None)

    def free(self):
        if self.handle:
            self.lazuli.lib.lz_free(self.handle)
            self.handle = None

    __del__ = free


class Given:
    """An object around a capsule, for consumers that want one."""

    def __init__(self, array, versioned, own):
        self.array, self.versioned, self.own = array, versioned, own

    def __dlpack_device__(self):
        return self.array.device

    def __dlpack__(self, stream=None, **_):
        return self.array.export(self.versioned, self.own, stream)


def expected(x, is_bool):
    return ~x if is_bool else x * x + x


def try_numpy(lazuli):
    import numpy as np

    names = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
             "float16", "float32", "float64", "complex64", "complex128"]
    count = 0
    for name in names:
        base = (np.arange(60) % 7 - (0 if name.startswith(("u", "b")) else 3)).astype(name)
        base = base.reshape(3, 4, 5)
        layouts = [base, base.T, base[1:, ::2, 1:], base[:, :, 2], base[0, 0, 0:1], base[:0],
                   np.broadcast_to(base[:, :1], (3, 4, 5)), base.transpose(2, 0, 1)[1:]]
        for x in layouts:
            for versions in ({}, {"max_version": (1, 0)}):
                try:
                    capsule = x.__dlpack__(**versions)
                except (BufferError, TypeError) as why:
                    # Read-only data needs the structure with a version.
                    assert not versions, why
                    continue
                a = lazuli.take(capsule)
                back = np.from_dlpack(a)
                assert back.dtype == x.dtype and back.shape == x.shape
                np.testing.assert_array_equal(back, x)
                y = np.from_dlpack(a.compute())
                a.free()
                with np.errstate(all="ignore"):
                    np.testing.assert_array_equal(y, expected(x, name == "bool"))
                count += 1

    # Nothing is copied: memory in C order has the same address again.
    x = np.arange(1000.0)
    a = lazuli.take(x.__dlpack__())
    before = lazuli.lib.lz_allocated()
    assert np.from_dlpack(a).ctypes.data == x.ctypes.data
    assert lazuli.lib.lz_allocated() == before
    # What is shared cannot be written, what is given away can.
    y = np.from_dlpack(a.compute())
    assert not y.flags.writeable
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        y = np.from_dlpack(Given(a.compute(), True, True))
        assert y.flags.writeable
        y[:] = 7.0
    del y

    # The producer gets its array back, once, whichever thread lets go.
    import sys
    for there in (False, True):
        x = np.arange(10.0)
        before = sys.getrefcount(x)
        a = lazuli.take(x.__dlpack__())
        assert sys.getrefcount(x) == before + 1
        if there:
            thread = threading.Thread(target=a.free)
            thread.start()
            thread.join()
        else:
            a.free()
        gc.collect()
        assert sys.getrefcount(x) == before

    # A tensor that cannot be taken goes back, too.
    x = np.arange(10.0)[::-1]
    before = sys.getrefcount(x)
    try:
        lazuli.take(x.__dlpack__())
    except RuntimeError as why:
        assert "go backwards" in str(why), why
    else:
        raise AssertionError("negative strides were taken")
    gc.collect()
    assert sys.getrefcount(x) == before
    print(f"numpy {np.__version__}: {count} arrays")


def torch_capsules(x, stream):
    """What a tensor gives: by its own choice, and with a version where it knows some."""
    arguments = {} if stream is None else {"stream": stream}
    yield x.__dlpack__(**arguments)
    try:
        yield x.__dlpack__(max_version=(1, 0), **arguments)
    except TypeError:
        pass


def try_torch(lazuli, on_gpu):
    import torch

    kind = "cuda" if on_gpu else "cpu"
    place = (2, 0) if on_gpu else (1, 0)
    stream = lazuli.lib.lz_stream(0) if on_gpu else None
    types = [torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8,
             torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64,
             torch.complex128]
    count = 0
    for dtype in types:
        base = (torch.arange(60) % 7).reshape(3, 4, 5).to(dtype).to(kind)
        layouts = [base, base.permute(2, 1, 0), base[1:, ::2, 1:], base[:, :, 2], base[0, 0, 3:4],
                   base[:0], base[:, :1].expand(3, 4, 5), base.flatten()[1:], base[1, 1, 1]]
        for x in layouts:
            for capsule in torch_capsules(x, stream):
                a = lazuli.take(capsule, -1 if stream is None else 1)
                a.device = place
                b = a.compute()
                a.free()
                for given in (Given(b, False, False), Given(b, True, False), b):
                    try:
                        y = torch.from_dlpack(given)
                    except (RuntimeError, TypeError, BufferError):
                        # Versions of PyTorch before 2.9 take the older structure alone.
                        if isinstance(given, Given) and given.versioned:
                            continue
                        raise
                    assert y.dtype == dtype and y.device.type == kind and y.shape == x.shape
                    assert torch.equal(y, expected(x, dtype == torch.bool)), (dtype, x.shape)
                    count += 1

    if on_gpu:
        # Many times over on a stream of PyTorch's, whose allocator gives memory out again at once.
        own = torch.cuda.Stream()
        with torch.cuda.stream(own):
            x = torch.ones(1 << 20, dtype=torch.int64, device=kind)
            for _ in range(200):
                x = x * 3
                a = lazuli.take(x.__dlpack__(stream=stream), own.cuda_stream)
                a.device = place
                del x
                x = torch.from_dlpack(Given(a.compute(), False, True)) & 0xFFFF
                a.free()
                noise = torch.zeros(1 << 20, dtype=torch.int64, device=kind)
                del noise
        own.synchronize()
        value = 1
        for _ in range(200):
            value = value * 3
            value = (value * value + value) & 0xFFFF
        assert bool((x == value).all()), "streams are out of order"
    else:
        x = torch.arange(1000.0, dtype=torch.float64)
        a = lazuli.take(x.__dlpack__())
        assert torch.from_dlpack(Given(a, False, False)).data_ptr() == x.data_ptr()
    print(f"torch {torch.__version__} on {kind}: {count} tensors")


def try_cupy(lazuli):
    import cupy as cp

    stream = lazuli.lib.lz_stream(0)
    names = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
             "float16", "float32", "float64", "complex64", "complex128"]
    count = 0
    for name in names:
        base = (cp.arange(60) % 7).astype(name).reshape(3, 4, 5)
        for x in [base, base.T, base[1:, ::2, 1:], base[:, :, 2], base[0, 0, 3:4],
                  base.ravel()[1:], cp.broadcast_to(base[:, :1], (3, 4, 5))]:
            a = lazuli.take(x.__dlpack__(stream=stream), cp.cuda.get_current_stream().ptr or 1)
            a.device = (2, 0)
            y = cp.from_dlpack(Given(a.compute(), False, False))
            a.free()
            assert y.dtype == x.dtype and y.shape == x.shape
            assert bool((y == expected(x, name == "bool")).all()), (name, x.shape)
            count += 1
    own = cp.cuda.Stream(non_blocking=True)
    with own:
        x = cp.ones(1 << 20, dtype=cp.int64)
        for _ in range(200):
            x = x * 3
            a = lazuli.take(x.__dlpack__(stream=stream), own.ptr)
            a.device = (2, 0)
            del x
            x = cp.from_dlpack(Given(a.compute(), False, True)) & 0xFFFF
            a.free()
            cp.zeros(1 << 20, dtype=cp.int64)
        own.synchronize()
        value = 1
        for _ in range(200):
            value = value * 3
            value = (value * value + value) & 0xFFFF
        assert bool((x == value).all()), "streams are out of order"
    print(f"cupy {cp.__version__}: {count} arrays")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("library", help="libdlpack.so, as cargo built it")
    parser.add_argument("--require", nargs="*", default=[], help="numpy, torch, cupy, cuda")
    options = parser.parse_args()
    lazuli = Lazuli(options.library)
    has_gpu = lazuli.lib.lz_stream(0) >= 0
    if not has_gpu:
        assert "cuda" not in options.require, "Lazuli finds no GPU"
        print("no GPU that Lazuli can use")

    def attempt(name, run):
        try:
            __import__(name)
        except ImportError as why:
            assert name not in options.require, why
            print(f"{name} is not installed")
            return
        run()

    def torch_everywhere():
        try_torch(lazuli, False)
        import torch
        if has_gpu and torch.cuda.is_available():
            try_torch(lazuli, True)
        else:
            assert "cuda" not in options.require, "PyTorch finds no GPU"

    attempt("numpy", lambda: try_numpy(lazuli))
    attempt("torch", torch_everywhere)
    if has_gpu:
        attempt("cupy", lambda: try_cupy(lazuli))


if __name__ == "__main__":
    main()
