// SPDX-License-Identifier: Apache-2.0

/// What a recording file, ours or another program's, says of its integrity, and what is in it, to be compared
/// with a description. Each `FormatKind` makes one of a file; `DescriptionCheck` compares.
struct ContentCheck {
    var problems: [String] = []
    /// What may come from measuring (noise on a serial line, a receiver's clock) as well as from
    /// damage: wrong unless a digest confirms the bytes.
    var noise: [String] = []
    /// In the unit that a description of it counts.
    var stored = 0
    /// CLOCK_MONOTONIC of the first and the last time in it, in seconds; where `isLocal` seconds of
    /// its wall clock since 2000-01-01.
    var first: Double?
    /// As `first`.
    var last: Double?
    /// The file has wall times without a zone.
    var isLocal = false
    /// By how many seconds the described end may lie after the last time in it.
    var endTolerance = 2.0
    /// In what else it differs from its description, in words.
    var differences: [String] = []

    mutating func expect(_ isRight: Bool, _ difference: String) {
        if !isRight { differences.append(difference) }
    }
}
