// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// A text at a moment or over a span, among the annotations of an EDF+ file: the EDF exporters make one for
/// each gap and each press.
struct EDFAnnotation {
    let time: Instant
    /// In seconds; 0 for a moment.
    let duration: Double
    let text: String

    /// As a time-stamped annotation list (TAL), its onset in seconds since `start`: byte 21 comes before
    /// the duration, 20 ends onset and text, 0 the list.
    func bytes(since start: Instant) -> [UInt8] {
        let onset = max(0, (time - start).seconds)
        let length = duration > 0 ? "\u{15}\(Decimals.text(duration, 6))" : ""
        return Array("+\(Decimals.text(onset, 6))\(length)\u{14}\(text)\u{14}\0".utf8)
    }
}
