// SPDX-License-Identifier: Apache-2.0
import Base

/// Moments with a text each, which are known by their time of day alone; in order. The lab's `XDFExport` makes
/// them of prompts and answers.
package struct XDFMarkers: Sendable {
    package let name: String
    package let events: [(time: Instant, text: String)]

    package init(_ name: String, _ events: [(time: Instant, text: String)]) {
        self.name = name
        self.events = events
    }
}
