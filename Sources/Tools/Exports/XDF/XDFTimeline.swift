// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// One clock for several recordings: CLOCK_MONOTONIC of one boot, in seconds. What is of another
/// boot, or has only a time of day, is placed on it by the time of day.
struct XDFTimeline {
    /// What the time of day is ahead of the clock, in seconds, at moments of the clock; one where it
    /// never changes, none while the time of day is unknown.
    let offsets: [(uptime: Double, offset: Double)]
    private let boot: String?
    /// UTC less the uptime; nil where it is unknown.
    private let ahead: Duration?

    /// Throws where a file has no place among the others.
    init(_ files: [RecordedFile]) throws(FileError) {
        let described = files.compactMap(\.description)
        let origin = described.first { Self.ahead($0) != nil } ?? described.first
        let ahead = origin.flatMap(Self.ahead)
        (boot, self.ahead) = (origin?.bootID, ahead)
        var offsets: [(uptime: Double, offset: Double)] = []
        for file in files {
            guard let description = file.description else {
                // Foreign files have a time of day alone.
                if origin != nil, ahead == nil { throw Self.refusal(file, "the others have no time of day") }
                continue
            }
            let isOfBoot = description.bootID == boot
            let own = Self.ahead(description)
            if !isOfBoot, own == nil { throw Self.refusal(file, "its boot never had a time of day") }
            guard let ahead, let own else { continue }
            let shift = isOfBoot ? 0 : (own - ahead).seconds
            offsets.append((description.startUptime + shift, (isOfBoot ? own : ahead).seconds))
        }
        offsets.sort { $0.uptime < $1.uptime }
        let isSteady = Set(offsets.map(\.offset)).count == 1
        self.offsets = isSteady ? Array(offsets.prefix(1)) : offsets
    }

    /// The place of an uptime of that file.
    func place(uptime: Double, of file: RecordedFile) -> Double {
        guard let description = file.description, description.bootID != boot, let ahead,
            let own = Self.ahead(description)
        else { return uptime }
        return uptime + (own - ahead).seconds
    }

    /// The place of a time of day; seconds since 1970 where no file has an uptime.
    func place(_ time: Instant) -> Double {
        guard let ahead else { return (time - .epoch).seconds }
        return (time - ahead - .epoch).seconds
    }

    /// By the anchor that the file's times are by.
    private static func ahead(_ description: RecordingDescription) -> Duration? {
        guard let anchor = description.anchors.first, let time = Instant.parsed(anchor.time) else { return nil }
        let uptime = Duration.nanoseconds(Int64((anchor.uptime * 1e9).rounded()))
        return (time - Instant.epoch) - uptime
    }

    private static func refusal(_ file: RecordedFile, _ reason: String) -> FileError {
        .format(
            path: file.file.path,
            problem: "cannot be placed on one timeline with the first file, because \(reason); export it separately")
    }
}
