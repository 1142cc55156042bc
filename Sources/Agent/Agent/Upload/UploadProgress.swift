// SPDX-License-Identifier: Apache-2.0

/// Notices a server that answers for ever without taking anything.
struct UploadProgress {
    private var furthest: Int64 = -1
    private var idle = 0

    /// Counts steps that brought nothing new; false after ten.
    mutating func record(_ step: DeliveryStep) -> Bool {
        if case .progressed(let offset?) = step, offset > furthest {
            furthest = offset
            idle = 0
        } else {
            idle += 1
        }
        return idle < 10
    }
}
