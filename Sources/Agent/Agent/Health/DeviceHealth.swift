// SPDX-License-Identifier: Apache-2.0
import Base

/// How the device itself is doing: power, heat, card. `StudyLoop` feeds it with what `HealthWatch` read, for faults
/// and reports. Pure: readings in, words out.
///
/// A fault is reported when it begins, counted, and listed for as long as it lasts.
package struct DeviceHealth: Sendable, Hashable {
    /// What can be wrong with a device.
    package enum Trouble: String, Sendable, CaseIterable {
        /// Below about 4.63 V: the processor is slowed, writes to the card may fail.
        case underVoltage
        /// The firmware has lowered the processor's frequency: power or heat.
        case capped
        /// The firmware slows the processor down.
        case throttled
        /// The soft temperature limit of the firmware is active.
        case softLimit
        /// The processor is as hot as where a Raspberry Pi is throttled.
        case hot
        /// The card or chip on which things are kept is worn.
        case worn
        /// The kernel found the file system damaged.
        case damaged
        /// The disk of the state folder is mounted read-only. After an error ext4 refuses to write without saying so
        /// here: `ext4_handle_error` sets SB_RDONLY no more (Linux 6.12, and Debian's 6.1.192).
        case readOnly

        /// The part of the device that a line of the log is about.
        var place: String {
            switch self {
            case .underVoltage, .capped, .throttled: "power"
            case .softLimit, .hot: "temperature"
            case .worn, .damaged, .readOnly: "disk"
            }
        }
    }

    /// What was read at one moment; nil and empty = this device does not tell.
    package struct Reading: Sendable, Hashable {
        /// The firmware's 32 bits, as `DeviceHealth.bits` has them.
        package var throttled: UInt32?
        /// hwmon `rpi_volt`, `in0_lcrit_alarm`.
        package var lowVoltageAlarm: Bool?
        /// Degrees Celsius of the hottest zone.
        package var temperature: Double?
        /// Names of worn cards with how far they are.
        package var worn: [String] = []
        /// Part of its life that the most used card has behind it, as far as it tells: 0.1
        /// steps, upper end.
        package var life: Double?
        package var fileSystemErrors: [String: Int] = [:]
        package var isReadOnly = false
    }

    /// The bits of the firmware's GET_THROTTLED (Raspberry Pi documentation, "vcgencmd
    /// get_throttled"): now, and 16 higher "has occurred". The kernel's driver asks every two
    /// seconds and clears the higher ones with it (drivers/hwmon/raspberrypi-hwmon.c), so that they
    /// mean: since the last time.
    private static let bits: [(bit: UInt32, trouble: Trouble)] = [
        (0, .underVoltage), (1, .capped), (2, .throttled), (3, .softLimit),
    ]
    /// Where a Raspberry Pi is throttled; below, with a margin, it is over.
    private static let hot = (begins: 80.0, ends: 75.0)
    /// The firmware's troubles come and go with each peak of the load: one is over when it has not been
    /// seen for this long.
    private static let hold = Duration.seconds(60)

    /// How often each began since the agent started.
    package private(set) var counts: [Trouble: Int] = [:]
    package private(set) var present: [Trouble: Explanation] = [:]
    package private(set) var reading = Reading()
    private var heldUntil: [Trouble: MonotonicTime] = [:]

    /// In words, in a fixed order.
    package var faults: [Explanation] { Trouble.allCases.compactMap { present[$0] } }

    /// Takes a reading; returns the troubles that began with it in words, each with its part of the device.
    mutating func record(_ new: Reading, at now: MonotonicTime) -> [(place: String, message: String)] {
        let old = reading
        reading = new
        noteFirmware(new, at: now)
        let found = troubles(new)
        let begun = Trouble.allCases.filter { found[$0] != nil && present[$0] == nil }
        // A count that grows is a new event though the trouble has never ended.
        let grown = found[.damaged] != nil && present[.damaged] != nil && new.fileSystemErrors != old.fileSystemErrors
        present = found
        let reported = begun + (grown ? [.damaged] : [])
        for trouble in reported { counts[trouble, default: 0] += 1 }
        return reported.compactMap { trouble in found[trouble].map { (trouble.place, $0.description) } }
    }

    private mutating func noteFirmware(_ new: Reading, at now: MonotonicTime) {
        for (bit, trouble) in Self.bits where (new.throttled ?? 0) & (0x1_0001 << bit) != 0 {
            heldUntil[trouble] = now + Self.hold
        }
        if new.lowVoltageAlarm == true { heldUntil[.underVoltage] = now + Self.hold }
        heldUntil = heldUntil.filter { $0.value > now }
    }

    private func troubles(_ new: Reading) -> [Trouble: Explanation] {
        var found = heldUntil.mapValues { _ in "" }
        if let temperature = new.temperature {
            let limit = present[.hot] == nil ? Self.hot.begins : Self.hot.ends
            if temperature >= limit { found[.hot] = "\(temperature.text(0)) °C" }
        }
        if !new.worn.isEmpty { found[.worn] = new.worn.joined(separator: ", ") }
        let damaged = new.fileSystemErrors.filter { $0.value > 0 }.sorted { $0.key < $1.key }
        if !damaged.isEmpty { found[.damaged] = damaged.map { "\($0.value) on \($0.key)" }.joined(separator: ", ") }
        if new.isReadOnly { found[.readOnly] = "" }
        return Dictionary(uniqueKeysWithValues: found.map { ($0, Self.words($0, $1)) })
    }

    private static func words(_ trouble: Trouble, _ detail: String) -> Explanation {
        let (cause, remedy): (String, String?) =
            switch trouble {
            case .underVoltage:
                (
                    "the supply voltage is too low (below about 4.63 V): recordings and card are at risk",
                    "use a better supply and a short, thick cable"
                )
            case .capped:
                ("the firmware limits the processor's frequency because of low power or heat", nil)
            case .throttled: ("the firmware throttles the processor because of low power or heat", nil)
            case .softLimit: ("the processor has reached its soft temperature limit", "improve its cooling")
            case .hot: ("the processor is at \(detail)", "improve its cooling, or take it out of the sun")
            case .worn: ("the card is worn out (\(detail)): replace it", nil)
            case .damaged:
                (
                    "the kernel found file system errors (\(detail)): deliver the data, then run fsck or replace the card",
                    nil
                )
            case .readOnly:
                (
                    "the disk is mounted read-only: nothing more is stored",
                    "restart the device, and check or replace the card"
                )
            }
        return Explanation(cause: cause, remedy: remedy)
    }

    /// One line of the status page; nil where the device tells nothing.
    var line: String? {
        var parts: [String] = []
        if let temperature = reading.temperature { parts.append("\(temperature.text(0)) °C") }
        if reading.throttled != nil || reading.lowVoltageAlarm != nil {
            parts.append(present[.underVoltage] == nil ? "power good" : "power too low")
        }
        if let life = reading.life { parts.append("card used to \((life * 100).text(0)) %") }
        let counted = Trouble.allCases.compactMap { trouble in counts[trouble].map { "\($0) × \(trouble.rawValue)" } }
        if !counted.isEmpty { parts.append("since start: " + counted.joined(separator: ", ")) }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// What the device tells; members that it does not tell are absent.
    var json: JSONText {
        let now = Trouble.allCases.filter { present[$0] != nil }
        let counted = Trouble.allCases.compactMap { trouble in
            counts[trouble].map { JSONText.Member(trouble.rawValue, .integer(Int64($0))) }
        }
        return .object([
            "temperature": reading.temperature.map { .number($0) },
            "throttled": reading.throttled.map { .integer(Int64($0)) }, "cardLife": reading.life.map { .number($0) },
            "readOnly": .boolean(reading.isReadOnly), "now": .array(now.map { .string($0.rawValue) }),
            "counts": .object(counted),
        ])
    }
}
