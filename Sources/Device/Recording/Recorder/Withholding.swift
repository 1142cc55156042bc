// SPDX-License-Identifier: Apache-2.0
import Base

/// The samples of a span that are taken but not kept, while the participant has paused the sensors; `Recorder`
/// has one. They count as lost, and become one gap before the next sample that is kept.
struct Withholding {
    var span: Range<MonotonicTime>?
    /// Samples withheld since the last one that was kept.
    private var count = 0

    func covers(_ time: MonotonicTime) -> Bool { span?.contains(time) == true }

    mutating func add(_ samples: Int) { count += samples }

    mutating func drain() -> Int {
        defer { count = 0 }
        return count
    }
}
