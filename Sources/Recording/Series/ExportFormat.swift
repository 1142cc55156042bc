// SPDX-License-Identifier: Apache-2.0

/// What a recording can be exported as.
public enum ExportFormat: String, Sendable, CaseIterable {
    /// Text, one line per sample, fix or event.
    case csv
    /// A track for maps, of positions.
    case gpx
    /// Sound that everything plays.
    case wav
    /// EDF+, for programs that look at physiological signals.
    case edf
    /// The records of SageResearch's motion and distance recorders.
    case sageJSON = "sage-json"
    /// An events file of the Brain Imaging Data Structure, of button presses.
    case bids
}

/// What lies in a recording file, whoever wrote it.
public enum RecordedContent: String, Sendable, CaseIterable {
    /// Acceleration, perhaps with rotation, as CWA.
    case motion = "CWA motion"
    /// FLAC.
    case sound = "FLAC sound"
    /// What a satellite receiver said.
    case sentences = "NMEA position"
    /// Our CSV, perhaps gzipped.
    case table = "CSV"

    /// What such a file can become.
    public var exports: [ExportFormat] {
        switch self {
        case .motion: [.csv, .edf, .sageJSON]
        case .sound: [.wav]
        case .sentences: [.csv, .gpx, .sageJSON]
        case .table: [.csv, .sageJSON, .bids, .edf]
        }
    }
}
