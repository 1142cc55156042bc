// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit
import Testing

@testable import Agent

/// An enrolment in a study of schema somewhere on earth, and when the app's own code
/// makes its tasks.
///
/// Everything follows from its number; `Tests/PlatformSchemaTests/Recordings/journeys.txt` says
/// where the moments come from.
struct SchemaJourney: Sendable {
    /// With both sides of the date line, zones of a half and a quarter of an hour, a summer time of
    /// half an hour (Lord Howe) and of two (Troll), one that is put off for a month (Casablanca),
    /// and changes at midnight (Beirut, Cairo, Havana, Santiago, Azores).
    static let zones = [
        "Africa/Cairo", "Africa/Casablanca", "Africa/Johannesburg", "America/Adak", "America/Anchorage",
        "America/Chicago",
        "America/Denver", "America/Halifax", "America/Havana", "America/Los_Angeles", "America/New_York",
        "America/Phoenix", "America/Santiago", "America/Sao_Paulo", "America/St_Johns", "Antarctica/Troll",
        "Asia/Beirut", "Asia/Dubai", "Asia/Jerusalem", "Asia/Kathmandu", "Asia/Kolkata", "Asia/Tehran", "Asia/Tokyo",
        "Atlantic/Azores", "Australia/Adelaide", "Australia/Lord_Howe", "Australia/Sydney", "Europe/Athens",
        "Europe/Berlin", "Europe/Dublin", "Europe/Lisbon", "Europe/London", "Pacific/Apia", "Pacific/Auckland",
        "Pacific/Chatham", "Pacific/Honolulu", "Pacific/Kiritimati", "Pacific/Marquesas", "Pacific/Pago_Pago",
        "Pacific/Tongatapu",
    ]

    let number: Int
    let zone: String
    let enrolled: Instant
    let offset: Int
    let days: Int
    let times: [(hour: Int, minute: Int)]
    /// Minutes; 0 = not random.
    let interval: Int
    let timeout: Int?
    /// What the app's `Math.random` gave for each task, in minutes.
    let draws: [Int]

    init(_ number: Int) {
        var dice = SplitMix64(seed: UInt64(number))
        func below(_ bound: Int) -> Int { Int(dice.next() % UInt64(bound)) }
        self.number = number
        zone = Self.zones[below(Self.zones.count)]
        // Every eighth about the day that Samoa left out, the others from 2026 to 2028.
        let isOld = below(8) == 0
        enrolled = Instant(
            seconds: Int64(isOld ? 1_324_684_800 + below(10 * 86_400) : 1_767_225_600 + below(1095 * 86_400)))
        offset = below(5) - 1
        days = 1 + below(10)
        let count = 1 + below(4)
        times = (0..<count).map { _ in
            let hour = below(24)
            return (hour, below(60))
        }
        let isRandom = below(4) == 0
        let interval = isRandom ? 1 + below(120) : 0
        self.interval = interval
        let hasTimeout = below(4) > 0
        let minutes = 1 + below(1500)
        timeout = hasTimeout ? minutes : nil
        draws = isRandom ? (0..<days * count).map { _ in below(2 * interval) } : []
    }

    var file: [UInt8] {
        let list = times.map { "{\"hours\":\($0.hour),\"minutes\":\($0.minute)}" }.joined(separator: ",")
        return Array(
            """
            {"properties":{"study_id":"J\(number)","study_name":"Journey","post_url":"http://127.0.0.1/post","conditions":["A"],"instructions":"",
            "empty_msg":"","banner_url":"","support_url":"","support_email":"","cache":false,"ethics":"","pls":""},
            "modules":[{"type":"survey","name":"M","submit_text":"Send","condition":"*","uuid":"m","unlock_after":[],"shuffle":false,
            "graph":{"display":false},"alerts":{"title":"Now","message":"","start_offset":\(offset),"duration":\(days),"times":[\(list)],
            "random":\(interval > 0),"random_interval":\(interval),"sticky":false,"sticky_label":"","timeout":\(timeout != nil),
            "timeout_after":\((timeout ?? 0) * 60_000)},"sections":[{"name":"S","shuffle":false,"questions":[\(AgentFixture.yesNo)]}]}]}
            """.utf8)
    }

    /// Draws of which those for the tasks come out as the app's did.
    var chance: Chance {
        Chance(seed: []) { [draws, interval] what in
            let text = String(decoding: what, as: UTF8.self)
            guard let position = text.split(separator: " ").last.flatMap({ Int($0) }),
                draws.indices.contains(position - 1)
            else { return (try? Digest(of: what))?.bytes ?? [] }
            let seed = (0...).lazy.map { UInt64($0) }.first {
                var generator = SplitMix64(seed: $0)
                return generator.below(2 * interval) == draws[position - 1]
            }
            return withUnsafeBytes(of: (seed ?? 0).bigEndian) { Array($0) }
        }
    }

    /// FNV-1a of 32 bits, as in the file.
    static func digest(_ moments: [Instant]) -> String {
        let hash = moments.map { "\($0.seconds)" }.joined(separator: " ").utf8.reduce(UInt32(0x811C_9DC5)) {
            ($0 ^ UInt32($1)) &* 0x0100_0193
        }
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }

    /// The app's: a digest for each journey, and for the first ones the moments themselves.
    static let apps: [(digest: String, moments: [Int64])] = {
        let path = AgentFixture.package + "/Tests/PlatformSchemaTests/Recordings/journeys.txt"
        let text = String(decoding: (try? BoundedFile.read(path)) ?? [], as: UTF8.self)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let words = line.split(separator: " ")
            return (String(words[1]), words.dropFirst(2).compactMap { Int64($0) })
        }
    }()
}
