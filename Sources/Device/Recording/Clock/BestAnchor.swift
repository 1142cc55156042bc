// SPDX-License-Identifier: Apache-2.0
import Base

extension Sequence where Element == ClockAnchor {
    /// The trusted anchor of the least uncertainty, the first of equals, for giving wall times to what came
    /// before the clock was known; nil when no source is trusted.
    package var best: ClockAnchor? { filter(\.isTrusted).min { $0.uncertainty < $1.uncertainty } }
}
