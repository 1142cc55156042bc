// SPDX-License-Identifier: Apache-2.0

/// What a chip's self-test found: how far its elements moved under a known force, and how far they should; for
/// `studyd check`.
package struct SelfTestReport: Sendable, Hashable, CustomStringConvertible {
    package struct Axis: Sendable, Hashable {
        /// `accel_x`, in the channel's unit.
        package let name: String
        /// The unit of all three numbers.
        package let unit: Unit
        package let change: Double
        package let allowed: ClosedRange<Double>

        package var hasPassed: Bool { allowed.contains(change) }
    }

    let place: ChipPlace
    /// In the order of the source's channels.
    package let axes: [Axis]

    package var hasPassed: Bool { axes.allSatisfy(\.hasPassed) }

    /// `i2c-1 0x18: LIS3DH passed its self-test`, or which axes did not and what to do.
    package var description: String {
        let failed = axes.filter { !$0.hasPassed }
        guard !failed.isEmpty else { return "\(place.location): \(place.chip.name) passed its self-test" }
        let findings = failed.map { axis in
            "\(axis.name) changed by \(short(axis.change)) \(axis.unit.rawValue) instead of \(short(axis.allowed.lowerBound)) to "
                + short(axis.allowed.upperBound)
        }
        return
            "\(place.location): \(place.chip.name) failed its self-test: \(findings.joined(separator: ", ")); keep it still and test "
            + "again, otherwise replace it"
    }

    /// Three digits after the point.
    private func short(_ value: Double) -> String { plain((value * 1000).rounded() / 1000) }
}
