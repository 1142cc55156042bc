// SPDX-License-Identifier: Apache-2.0

/// What a recording can be exported as.
package enum ExportFormat: String, Sendable, CaseIterable {
    /// Text, one line per sample, fix or event.
    case csv
    /// A track for maps, of positions.
    case gpx
    case wav
    /// EDF+, for programs that look at physiological signals.
    case edf
    /// The records of SageResearch's motion and distance recorders.
    case sageJSON = "sage-json"
    /// An events file of the Brain Imaging Data Structure, of button presses.
    case bids
}
