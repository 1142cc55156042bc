// SPDX-License-Identifier: Apache-2.0
import Base

extension [Occurrence] {
    /// For schedules and plans, by when they are due; equal times stay in their order. Not generic, so that it
    /// is quick for platforms, too: a generic function is not specialised in another module.
    package func inTimeOrder() -> [Occurrence] { inTimeOrder { $0.due } }
}

extension Array {
    /// By time; equal times stay in their order. Elements are large, so places are sorted.
    func inTimeOrder(_ time: (Element) -> Instant) -> [Element] {
        let times = map { time($0).nanoseconds }
        return indices.sorted { (times[$0], $0) < (times[$1], $1) }.map { self[$0] }
    }
}
