// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The C library's functions under names that do not hide Swift's.
enum Trigonometry {
    static func sine(_ x: Double) -> Double { Glibc.sin(x) }
    static func cosine(_ x: Double) -> Double { Glibc.cos(x) }
    static func tangent(_ x: Double) -> Double { Glibc.tan(x) }
    static func exponential(_ x: Double) -> Double { Glibc.exp(x) }
    static func arctangent(_ y: Double, _ x: Double) -> Double { Glibc.atan2(y, x) }
    static func logarithm10(_ x: Double) -> Double { Glibc.log10(x) }
}
