// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// What a recording file, ours or another program's, says of its integrity, and what is in it, to
/// be compared with a description.
struct ContentCheck {
    /// What is wrong, in words.
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
    /// By how many seconds the described end may lie behind the last time in it.
    var endTolerance = 2.0
    /// In what else it differs from its description, in words.
    var differences: [String] = []

    /// Notes a difference where there is one.
    mutating func expect(_ isRight: Bool, _ difference: String) {
        if !isRight { differences.append(difference) }
    }
}

extension RecordingFormats {
    /// Looks through a whole file in constant memory: as the binary kind that it shows itself to be, else by the
    /// description where there is one, so that damage to the first lines is damage and no other kind of file. Throws
    /// for one that is no recording at all.
    func check(_ file: File, _ description: RecordingDescription?) throws(FileError) -> ContentCheck {
        var found = ContentCheck()
        let start = try file.read(4, at: 0)
        for kind in kinds where !kind.isText {
            let isBehindDamage = try kind.recognises(behindDamageIn: file)
            guard isBehindDamage || kind.recognises(start: start) || kind.format.rawValue == description?.format else {
                continue
            }
            try kind.check(file, isCompressed: false, description, &found)
            return found
        }
        let isCompressed = GzipFile.begins(start)
        var kind = description.flatMap { self[$0.format] }
        if kind == nil { kind = try self.kind(of: TextLines(file, isCompressed: isCompressed), isStrict: true) }
        guard let kind else { throw .format(path: file.path, problem: "is not a \(titles) recording") }
        if isCompressed, let fault = try GzipFile.fault(file) { found.problems.append(fault) }
        try kind.check(file, isCompressed: isCompressed, description, &found)
        return found
    }
}
