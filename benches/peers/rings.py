"""The formulas on rings of points, for every array module: weighted sums, and Lorenz's model III (2005).

A sum along windows is written twice: over shifted slices, which a compiler fuses, and over a view of all windows, which
takes few calls where every operation is one. The second needs the module's `sliding_window_view`.
"""

import timing

# Model III: the points of the mean, the half-width of the smoothing, the strengths, the forcing, the time step.
K, I = 32, 12
B, C, FORCING, STEP = 10.0, 2.5, 15.0, 0.001


def halved_ends(weights):
    """The first and the last weight count half."""
    return [0.5 * w if k in (0, len(weights) - 1) else w for k, w in enumerate(weights)]


ALPHA = (3 * I**2 + 3) / (2 * I**3 + 4 * I)
BETA = (2 * I**2 + 1) / (I**4 + 2 * I**2)
SMOOTH = halved_ends([ALPHA - BETA * abs(i) for i in range(-I, I + 1)])
MEAN = halved_ends([1 / K] * (K + 1))


def smooth_weights(m):
    """The weights of `smooth`: 1 in the middle, falling linearly."""
    reach = m // 2
    return [1 - abs(k - reach) / (reach + 0.5) for k in range(m)]


def smooth(xp, z, a):
    """x[i] = sum of a[k] z[(i - (k - s)) mod n] over k, the first and the last term halved."""
    n, m = z.shape[0], a.shape[0]
    ring = xp.concatenate([z[-(m // 2) :], z, z[: m // 2]])
    inner = sum(a[k] * ring[m - 1 - k : m - 1 - k + n] for k in range(1, m - 1))
    return inner + 0.5 * (a[0] * ring[m - 1 :] + a[m - 1] * ring[:n])


def smooth_windows(xp, view, z, a):
    m = a.shape[0]
    halved = a[::-1].copy()
    halved[0] *= 0.5
    halved[-1] *= 0.5
    return view(xp.concatenate([z[-(m // 2) :], z, z[: m // 2]]), m) @ halved


def padded(xp, z, reach):
    """Rows with the neighbours around the ring at both ends."""
    return xp.concatenate([z[:, -reach:], z, z[:, :reach]], 1)


class Slices:
    """Sums along windows of rows, over shifted slices."""

    smooth, mean = SMOOTH, MEAN

    def __init__(self, xp):
        self.xp = xp

    def around(self, z, weights):
        n, ring = z.shape[1], padded(self.xp, z, len(weights) // 2)
        return sum(w * ring[:, k : k + n] for k, w in enumerate(weights))

    def around_product(self, a, b, weights):
        n, reach = a.shape[1], len(weights) // 2
        a, b = padded(self.xp, a, reach), padded(self.xp, b, reach)
        return sum(w * a[:, k : k + n] * b[:, k : k + n] for k, w in enumerate(weights))


class Windows:
    """The same over views of all windows, with the weights as arrays of the module."""

    def __init__(self, xp, view):
        self.xp, self.view = xp, view
        self.smooth, self.mean = xp.asarray(SMOOTH), xp.asarray(MEAN)

    def windows(self, z, length):
        return self.view(padded(self.xp, z, length // 2), length, 1)

    def around(self, z, weights):
        return self.windows(z, len(weights)) @ weights

    def around_product(self, a, b, weights):
        return (self.windows(a, len(weights)) * self.windows(b, len(weights))) @ weights


def slope(sums, z):
    """dz/dt of model III; `sums` is one of the two above."""
    roll = sums.xp.roll
    large = sums.around(z, sums.smooth)
    small = z - large

    def pair(a, b):
        return roll(b, -1, 1) * roll(a, 1, 1) - roll(a, 2, 1) * roll(b, 1, 1)

    # The double sum of [X, X], separated.
    mean = sums.around(large, sums.mean)
    near = sums.around_product(roll(mean, K, 1), roll(large, -K, 1), sums.mean)
    drift = near - roll(mean, 2 * K, 1) * roll(mean, K, 1)
    return drift + B * B * pair(small, small) + C * pair(small, large) - large - B * small + FORCING


def step(sums, z):
    """One Runge-Kutta step."""
    return timing.runge_kutta(lambda q: slope(sums, q), z, STEP)
