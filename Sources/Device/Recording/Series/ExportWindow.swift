// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Which part of recordings is exported: from one moment on, up to another, which is no longer in it. `--from`
/// and `--until` of the export commands say it.
package struct ExportWindow: Sendable, Hashable {
    /// A moment as a person writes it.
    enum Bound: Sendable, Hashable {
        /// With an offset.
        case utc(Instant)
        /// Without one: what the wall clock of the recording shows, as if it were UTC.
        case wall(Instant)
    }

    private let from: Bound?
    private let until: Bound?

    package static let all = ExportWindow(nil, nil)

    private init(_ from: Bound?, _ until: Bound?) {
        self.from = from
        self.until = until
    }

    /// Of two texts, each `2026-11-21T10:15:00` with or without seconds, decimals and offset (`Z`,
    /// `+01:00`). Without an offset it is the wall clock of the recording. Throws for other text,
    /// and where nothing lies between the two.
    package init(from: String?, until: String?) throws(FileError) {
        self.init(try from.map(Self.bound), try until.map(Self.bound))
        let isEmpty =
            switch (self.from, self.until) {
            case (.utc(let from), .utc(let until)), (.wall(let from), .wall(let until)): from >= until
            default: false
            }
        if isEmpty { throw .format(path: "--until", problem: "must be after --from") }
    }

    package var isAll: Bool { from == nil && until == nil }

    private static func bound(_ text: String) throws(FileError) -> Bound {
        // 2026-11-21T10:15 has no seconds.
        var spelled = text.replacing(" ", with: "T")
        let clock = spelled.split(separator: "T").dropFirst().first ?? ""
        let digits = clock.prefix { $0 != "Z" && $0 != "z" && $0 != "+" && $0 != "-" }
        if digits.count == 5 { spelled = "\(spelled.prefix(16)):00\(spelled.dropFirst(16))" }
        if let instant = Instant.parsed(spelled) { return .utc(instant) }
        if let wall = Instant.parsed(spelled + "Z") { return .wall(wall) }
        throw .format(
            path: text,
            problem:
                "is not a time; use e.g. 2026-11-21T10:15:00, with Z or an offset unless it is the recording's local time"
        )
    }

    /// The window on a wall clock this many seconds east of UTC; without an offset UTC and wall
    /// time are taken for one.
    package func walls(offset: Int) -> (from: Instant?, until: Instant?) {
        (from.map { Self.wall($0, offset) }, until.map { Self.wall($0, offset) })
    }

    /// Whether a moment of UTC is in it; an unknown moment is only in the whole.
    package func contains(_ time: Instant?, offset: Int = 0) -> Bool {
        guard !isAll else { return true }
        guard let time else { return false }
        let wall = time + .seconds(offset)
        let (from, until) = walls(offset: offset)
        return from.map { wall >= $0 } ?? true && until.map { wall < $0 } ?? true
    }

    private static func wall(_ bound: Bound, _ offset: Int) -> Instant {
        switch bound {
        case .utc(let instant): instant + .seconds(offset)
        case .wall(let wall): wall
        }
    }
}
