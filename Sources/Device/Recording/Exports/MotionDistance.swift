// SPDX-License-Identifier: Apache-2.0

/// How far a participant moved during the step in which they were asked to, as SageResearch's recorder counts it
/// (stable-3, `RSDDistanceRecorder.swift`): between fixes with an error of 20 m or less, whatever the speed. The
/// first stretch begins at the last such fix before the step.
struct MotionDistance {
    /// Metres of error of a fix up to which its receiver counts as outdoors.
    static let outdoors = 20.0
    private var last: (latitude: Double, longitude: Double)?
    private var total = 0.0
    private var wasMoving = true

    /// Metres so far; nil outside the moving step, and before there are two fixes.
    mutating func add(
        _ position: (latitude: Double, longitude: Double), accuracy: Double?, isMoving: Bool
    ) -> Double? {
        if isMoving, !wasMoving { total = 0 }
        wasMoving = isMoving
        let isExact = accuracy.map { $0 > 0 && $0 <= Self.outdoors } ?? false
        defer { if isExact { last = position } }
        guard isMoving, let last else { return nil }
        if isExact { total += DistancePath.metres(last, position) }
        return total
    }
}
