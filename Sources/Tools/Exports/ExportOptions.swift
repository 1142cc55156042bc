// SPDX-License-Identifier: Apache-2.0
import Device

/// An option of `studyd-tools export` that only some exporters understand, as it is typed.
package enum ExportOption: String, Sendable, CaseIterable {
    case events = "--events"
    case relativeTo = "--relative-to"
}

/// What a person wants of an export: `ExportCommand` fills it from the command line.
package struct ExportOptions: Sendable {
    package var window = ExportWindow.all
    /// A recording of buttons; its presses are noted in the EDF of motion.
    package var events: String?
    /// The recording that starts at onset zero in BIDS.
    package var relativeTo: String?
    /// Files of several participants may become one.
    package var joinsParticipants = false

    package init() {}

    /// Which of the options that not all exporters understand were given.
    var given: Set<ExportOption> {
        Set(ExportOption.allCases.filter { ($0 == .events ? events : relativeTo) != nil })
    }
}
