// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// What a board file says of its simulated parts: the table `[world]`, which only `studyd-tools` plays.
extension BoardDescription {
    /// What moves the simulated parts.
    package struct World: Sendable, Hashable {
        /// The script: `walk 60s; rest 30s`.
        package let script: String
        /// A CWA file to be replayed as motion; nil = the script alone.
        package let motion: String?
        /// An NMEA log to be played; nil = a short built-in one.
        package let nmea: String?
        package let seed: Int
        /// A participant file that presses the simulated buttons in `studyd-tools run`; nil = none.
        package let participant: String?
        /// What that participant does from rest, in turn: the key of a task to be
        /// opened, `pause` or `leave`.
        package let wishes: [String]
        package let silences: [Silence]
        package let substitutes: [Substitute]
    }
    /// Another simulated chip than the one that the board file names: a wrong part on the board.
    package struct Substitute: Sendable, Hashable {
        package let address: UInt8
        /// The name of the chip that is really there.
        package let type: String
    }
    /// A simulated chip that does not answer for a while.
    package struct Silence: Sendable, Hashable {
        package let address: UInt8
        package let span: Span

        package enum Span: Sendable, Hashable {
            /// Both from the start of the agent.
            case times(Range<Duration>)
            /// As long as this file is there; relative to the board's.
            case whileThereIs(String)
        }
    }
}

extension BoardDescription.World {
    init(_ table: ConfigTable) throws {
        script = try table.string("script") ?? "walk 60s; rest 60s; still 60s"
        motion = try table.string("motion")
        nmea = try table.string("nmea")
        seed = try table.integer("seed", in: 0...Int(Int32.max)) ?? 1
        participant = try table.string("participant")
        wishes = (try table.string("wishes") ?? "").split(separator: ";").map { wish in
            wish.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        silences = try table.tables("silence").map(BoardDescription.Silence.init)
        substitutes = try table.tables("substitute").map(BoardDescription.Substitute.init)
    }
}

extension BoardDescription.Substitute {
    init(_ table: ConfigTable) throws {
        address = try table.required("address", table.address("address"))
        type = try table.required("type", table.string("type"))
        do { _ = try ChipCatalog.chip(named: type) } catch { throw table.error("type", "\(error)") }
    }
}

extension BoardDescription.Silence {
    init(_ table: ConfigTable) throws {
        address = try table.required("address", table.address("address"))
        if let file = try table.string("while") {
            span = .whileThereIs(file)
            return
        }
        let from = try Self.time("from", table) ?? .zero
        let until = try table.required("until", Self.time("until", table))
        guard from < until else { throw table.error("until", "must be after 'from'") }
        span = .times(from..<until)
    }

    private static func time(_ key: String, _ table: ConfigTable) throws -> Duration? {
        let longest = 366 * 86_400
        return try table.duration(key, .seconds(-longest) ... .seconds(longest), "up to 366 days; use e.g. 8s")
    }
}
