"""Plain CUDA C++, one thread an element, launched through CuPy: what a user would write by hand.

Each builder takes arrays or sizes and returns a callable that launches the kernel once.
"""

import cupy as cp
import numpy as np

BLACK_SCHOLES = r"""
__device__ REAL cdf(REAL d) {
    REAL k = REAL(1) / (REAL(1) + REAL(0.2316419) * fabs(d));
    REAL poly = k * (REAL(0.31938153) + k * (REAL(-0.356563782) + k * (REAL(1.781477937)
              + k * (REAL(-1.821255978) + k * REAL(1.330274429)))));
    REAL tail = REAL(0.39894228040143267793994605993438) * exp(REAL(-0.5) * d * d) * poly;
    return d > 0 ? REAL(1) - tail : tail;
}
extern "C" __global__ void black_scholes(const REAL* __restrict__ s, const REAL* __restrict__ x,
        const REAL* __restrict__ t, REAL* __restrict__ call, REAL* __restrict__ put, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    REAL root = sqrt(t[i]);
    REAL d1 = (log(s[i] / x[i]) + (REAL(0.02) + REAL(0.5) * REAL(0.3) * REAL(0.3)) * t[i]) / (REAL(0.3) * root);
    REAL c1 = cdf(d1), c2 = cdf(d1 - REAL(0.3) * root), discounted = x[i] * exp(REAL(-0.02) * t[i]);
    call[i] = s[i] * c1 - discounted * c2;
    put[i] = discounted * (REAL(1) - c2) - s[i] * (REAL(1) - c1);
}
"""

MANDELBROT = r"""
__device__ int steps(double cr, double ci, int limit) {
    double a = 0, b = 0;
    int i = 0;
    for (; i < limit; i++) {
        double next = a * a - b * b + cr;
        b = 2 * a * b + ci;
        a = next;
        if (a * a + b * b >= 4) break;
    }
    return i;
}
extern "C" __global__ void mandelbrot(unsigned char* image, int width, int height, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    image[(long long)y * width + x] = steps(-2.0 + x * (3.0 / width), -1.0 + y * (2.0 / height), limit);
}
extern "C" __global__ void mandelbrot_strided(unsigned char* image, int width, int height, int limit) {
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < width; x += gridDim.x * blockDim.x)
        for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += gridDim.y * blockDim.y)
            image[(long long)y * width + x] = steps(-2.0 + x * (3.0 / width), -1.0 + y * (2.0 / height), limit);
}
"""

MATMUL_SHARED = r"""
extern "C" __global__ void matmul_shared(const float* __restrict__ a, const float* __restrict__ b,
        float* __restrict__ c, int n) {
    __shared__ float tile_a[32][32], tile_b[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    float sum = 0;
    for (int first = 0; first < n; first += 32) {
        int column = first + tx, row = first + ty;
        tile_a[ty][tx] = y < n && column < n ? a[y * n + column] : 0.f;
        tile_b[ty][tx] = row < n && x < n ? b[row * n + x] : 0.f;
        __syncthreads();
        for (int k = 0; k < 32; k++) sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    if (x < n && y < n) c[y * n + x] = sum;
}
"""

SMOOTH = r"""
extern "C" __global__ void smooth(const double* __restrict__ z, const double* __restrict__ a,
        double* __restrict__ x, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = (i + m / 2) % n;
    double sum = 0;
    for (int k = 0; k < m; k++) {
        sum += (k == 0 || k == m - 1 ? 0.5 * a[k] : a[k]) * z[at];
        at = at == 0 ? n - 1 : at - 1;
    }
    x[i] = sum;
}
"""

PAIRWISE_MIN = r"""
extern "C" __global__ void pairwise_min(const float* p, float* out, int n) {
    __shared__ float tile[256 * 3];
    int i = blockIdx.x * 256 + threadIdx.x;
    float x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2], nearest = 1e30f;
    for (int start = 0; start < n; start += 256) {
        __syncthreads();
        for (int k = 0; k < 3; k++) tile[k * 256 + threadIdx.x] = p[3 * start + k * 256 + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float a = x - tile[3 * j], b = y - tile[3 * j + 1], c = z - tile[3 * j + 2];
            nearest = fminf(nearest, a * a + b * b + c * c + (start + j == i ? 9.f : 0.f));
        }
    }
    out[i] = nearest;
}
"""


def black_scholes(s, x, t):
    s, x, t = (cp.from_dlpack(a) for a in (s, x, t))
    real = "float" if s.dtype == np.float32 else "double"
    kernel = cp.RawKernel(BLACK_SCHOLES.replace("REAL", real), "black_scholes")
    arguments = (s, x, t, cp.empty_like(s), cp.empty_like(s), np.int64(s.size))
    return lambda: kernel(((s.size + 255) // 256,), (256,), arguments)


def mandelbrot(height, width, limit):
    kernel = cp.RawKernel(MANDELBROT, "mandelbrot")
    image = cp.zeros((height, width), cp.uint8)
    arguments = (image, np.int32(width), np.int32(height), np.int32(limit))
    return lambda: kernel((width // 32, height // 8), (32, 8), arguments)


def mandelbrot_strided(height, width, limit):
    """The grid of the other sides' programs: 32 by 16 blocks, whose threads walk on by whole grids."""
    kernel = cp.RawKernel(MANDELBROT, "mandelbrot_strided")
    image = cp.zeros((height, width), cp.uint8)
    arguments = (image, np.int32(width), np.int32(height), np.int32(limit))
    return lambda: kernel((32, 16), (32, 8), arguments)


def matmul_shared(a, b):
    a, b = (cp.from_dlpack(x) for x in (a, b))
    kernel, n = cp.RawKernel(MATMUL_SHARED, "matmul_shared"), a.shape[0]
    blocks, arguments = (n + 31) // 32, (a, b, cp.empty_like(a), np.int32(n))
    return lambda: kernel((blocks, blocks), (32, 32), arguments)


def smooth(z, a):
    z, a = (cp.from_dlpack(x) for x in (z, a))
    kernel, n = cp.RawKernel(SMOOTH, "smooth"), z.size
    arguments = (z, a, cp.empty_like(z), np.int32(n), np.int32(a.size))
    return lambda: kernel(((n + 127) // 128,), (128,), arguments)


def pairwise_min(p):
    p = cp.from_dlpack(p)
    kernel, n = cp.RawKernel(PAIRWISE_MIN, "pairwise_min"), p.shape[0]
    arguments = (p, cp.empty(n, cp.float32), np.int32(n))
    return lambda: kernel((n // 256,), (256,), arguments)


LORENZ = r"""
__device__ void slope(double rho, const double* y, double* k) {
    k[0] = 10.0 * (y[1] - y[0]);
    k[1] = y[0] * (rho - y[2]) - y[1];
    k[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
}
extern "C" __global__ void fixed_steps(const double* rhos, double* out, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double rho = rhos[i], h = 1.0 / steps, y[3] = {1, 0, 0}, a[3], k1[3], k2[3], k3[3], k4[3];
    for (int step = 0; step < steps; step++) {
        slope(rho, y, k1);
        for (int c = 0; c < 3; c++) a[c] = y[c] + 0.5 * h * k1[c];
        slope(rho, a, k2);
        for (int c = 0; c < 3; c++) a[c] = y[c] + 0.5 * h * k2[c];
        slope(rho, a, k3);
        for (int c = 0; c < 3; c++) a[c] = y[c] + h * k3[c];
        slope(rho, a, k4);
        for (int c = 0; c < 3; c++) y[c] += h / 6.0 * (k1[c] + 2.0 * k2[c] + 2.0 * k3[c] + k4[c]);
    }
    for (int c = 0; c < 3; c++) out[c * (long long)n + i] = y[c];
}
extern "C" __global__ void own_steps(const double* rhos, double* out, int n, double rtol, double atol) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double rho = rhos[i], t = 0, y[3] = {1, 0, 0}, k[7][3], a[3], b[3];
    slope(rho, y, k[0]);
    double d0 = 0, d1 = 0, d2 = 0;
    for (int c = 0; c < 3; c++) {
        double scale = atol + rtol * fabs(y[c]), p = y[c] / scale, q = k[0][c] / scale;
        d0 += p * p / 3, d1 += q * q / 3;
    }
    d0 = sqrt(d0), d1 = sqrt(d1);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    for (int c = 0; c < 3; c++) a[c] = y[c] + h0 * k[0][c];
    slope(rho, a, k[1]);
    for (int c = 0; c < 3; c++) {
        double q = (k[1][c] - k[0][c]) / (atol + rtol * fabs(y[c]));
        d2 += q * q / 3;
    }
    d2 = sqrt(d2) / h0;
    double h = fmin(100 * h0, fmax(d1, d2) <= 1e-15 ? fmax(1e-6, 1e-3 * h0) : pow(0.01 / fmax(d1, d2), 0.2));
    bool rejected = false;
    while (t < 1) {
        double end = fmin(t + h, 1.0), step = end - t;
        for (int c = 0; c < 3; c++) a[c] = y[c] + step * (1.0 / 5 * k[0][c]);
        slope(rho, a, k[1]);
        for (int c = 0; c < 3; c++) a[c] = y[c] + step * (3.0 / 40 * k[0][c] + 9.0 / 40 * k[1][c]);
        slope(rho, a, k[2]);
        for (int c = 0; c < 3; c++)
            a[c] = y[c] + step * (44.0 / 45 * k[0][c] - 56.0 / 15 * k[1][c] + 32.0 / 9 * k[2][c]);
        slope(rho, a, k[3]);
        for (int c = 0; c < 3; c++)
            a[c] = y[c] + step * (19372.0 / 6561 * k[0][c] - 25360.0 / 2187 * k[1][c] + 64448.0 / 6561 * k[2][c]
                                  - 212.0 / 729 * k[3][c]);
        slope(rho, a, k[4]);
        for (int c = 0; c < 3; c++)
            a[c] = y[c] + step * (9017.0 / 3168 * k[0][c] - 355.0 / 33 * k[1][c] + 46732.0 / 5247 * k[2][c]
                                  + 49.0 / 176 * k[3][c] - 5103.0 / 18656 * k[4][c]);
        slope(rho, a, k[5]);
        for (int c = 0; c < 3; c++)
            b[c] = y[c] + step * (35.0 / 384 * k[0][c] + 500.0 / 1113 * k[2][c] + 125.0 / 192 * k[3][c]
                                  - 2187.0 / 6784 * k[4][c] + 11.0 / 84 * k[5][c]);
        slope(rho, b, k[6]);
        double sum = 0;
        for (int c = 0; c < 3; c++) {
            double error = 71.0 / 57600 * k[0][c] - 71.0 / 16695 * k[2][c] + 71.0 / 1920 * k[3][c]
                         - 17253.0 / 339200 * k[4][c] + 22.0 / 525 * k[5][c] - 1.0 / 40 * k[6][c];
            double q = error * step / (atol + rtol * fmax(fabs(y[c]), fabs(b[c])));
            sum += q * q / 3;
        }
        double norm = sqrt(sum), factor = 0.9 * pow(norm, -0.2);
        if (norm < 1) {
            t = end;
            for (int c = 0; c < 3; c++) y[c] = b[c], k[0][c] = k[6][c];
            h = step * fmin(factor, rejected ? 1.0 : 10.0);
            rejected = false;
        } else {
            h = step * fmax(factor, 0.2);
            rejected = true;
        }
    }
    for (int c = 0; c < 3; c++) out[c * (long long)n + i] = y[c];
}
"""


def ensemble(rhos):
    """A thread a member, from its first step to its last."""
    kernel, n = cp.RawKernel(LORENZ, "own_steps"), rhos.size
    arguments = (cp.from_dlpack(rhos), cp.empty((3, n)), np.int32(n), np.float64(1e-8), np.float64(1e-8))
    return lambda: kernel(((n + 127) // 128,), (128,), arguments)


def ensemble_rk4(rhos, steps):
    kernel, n = cp.RawKernel(LORENZ, "fixed_steps"), rhos.size
    arguments = (cp.from_dlpack(rhos), cp.empty((3, n)), np.int32(n), np.int32(steps))
    return lambda: kernel(((n + 127) // 128,), (128,), arguments)


def jacobi_sweeps(a, sweeps):
    """A thread an element, a launch a sweep, two arrays in turn."""
    kernel = cp.RawKernel(
        r"""
extern "C" __global__ void sweep(const double* a, double* b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    long long at = (long long)y * n + x;
    bool inside = x > 0 && y > 0 && x < n - 1 && y < n - 1;
    b[at] = inside ? 0.2 * (a[at] + a[at - 1] + a[at + 1] + a[at + n] + a[at - n]) : a[at];
}
""",
        "sweep",
    )
    n = a.shape[0]
    pair = [a.copy(), cp.empty_like(a)]
    grid, block = ((n + 63) // 64, (n + 3) // 4), (64, 4)

    def run():
        for k in range(sweeps):
            kernel(grid, block, (pair[k % 2], pair[1 - k % 2], n))

    return run
