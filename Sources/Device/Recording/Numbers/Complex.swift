// SPDX-License-Identifier: Apache-2.0

/// A complex number, for the design of filters.
struct Complex: Sendable, Hashable {
    let real: Double
    let imaginary: Double

    init(_ real: Double, _ imaginary: Double) {
        self.real = real
        self.imaginary = imaginary
    }

    static func + (left: Self, right: Self) -> Self { Self(left.real + right.real, left.imaginary + right.imaginary) }
    static func - (left: Self, right: Self) -> Self { Self(left.real - right.real, left.imaginary - right.imaginary) }
    static func * (left: Self, right: Self) -> Self {
        Self(
            left.real * right.real - left.imaginary * right.imaginary,
            left.real * right.imaginary + left.imaginary * right.real)
    }
    static func / (left: Self, right: Self) -> Self {
        let square = right.real * right.real + right.imaginary * right.imaginary
        let product = left * Self(right.real, -right.imaginary)
        return Self(product.real / square, product.imaginary / square)
    }

    /// The root with a real part that is not negative.
    var squareRoot: Self {
        let size = (real * real + imaginary * imaginary).squareRoot()
        let a = (max(0, size + real) / 2).squareRoot()
        let b = (max(0, size - real) / 2).squareRoot()
        return Self(a, imaginary < 0 ? -b : b)
    }
}
