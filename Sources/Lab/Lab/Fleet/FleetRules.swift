// SPDX-License-Identifier: Apache-2.0
import Base

/// Decides what about a fleet needs attention; `FleetWatch` asks for it. Pure.
struct FleetRules: Sendable {
    /// By the receiver's clock, as all times here are.
    let now: Instant
    /// The receiver has been up since then: what could not be heard before is not held against a device.
    let listeningSince: Instant
    let limits: FleetLimits.Table
    /// The version that every device ought to have; nil = the newest that was seen.
    var expectedVersion: String?
    /// What is known of the keys of a participant's name.
    var keyWarnings: [String: KeyWarning] = [:]

    /// Drop of the share of answered prompts from one week to the next that counts as falling.
    static let fall = 0.2

    /// By `FleetDevice.id`; those that need none are absent. `standing` is what was true at the last look:
    /// by device and `Attention.key`, since when.
    func attention(of devices: [FleetDevice], standing: [String: [String: Instant]] = [:]) -> [String: [Attention]] {
        let version = expectedVersion ?? Self.newest(devices.compactMap(\.report.version))
        let namesakes = Dictionary(grouping: devices, by: \.name)
        var found: [String: [Attention]] = [:]
        for device in devices {
            let others = (namesakes[device.name] ?? []).filter { $0.id != device.id }
            let all = attention(of: device, others, version: version, wasSilent: standing[device.id]?["silent"])
            if !all.isEmpty { found[device.id] = all }
        }
        return found
    }

    private func attention(
        of device: FleetDevice, _ others: [FleetDevice], version: String?, wasSilent: Instant?
    ) -> [Attention] {
        let asked = deletion(device)
        if isReplaced(device, by: others) { return asked }
        if let since = keyWarnings[device.report.participant]?.revoked {
            return asked + [
                Attention(kind: .revoked, since: since, text: "its key is revoked: nothing is taken from it")
            ]
        }
        let found = asked + cloned(device, others) + silent(device, wasSilent)
        return found + (device.report.isLast ? [] : reported(device, version: version))
    }

    /// When its next report is due at the latest.
    func deadline(of device: FleetDevice) -> Instant {
        let wait = max(.seconds(device.report.nextReportWithin), limits[device.report.study].silentAfter)
        return max(device.received, listeningSince) + wait
    }

    /// Whether another device of its name was first heard after this one was heard last.
    func isReplaced(_ device: FleetDevice, by others: [FleetDevice]) -> Bool {
        others.contains { $0.first > device.received }
    }

    /// Shown until the lab forgets the device.
    private func deletion(_ device: FleetDevice) -> [Attention] {
        guard device.report.asksForDeletion == true else { return [] }
        let text = "the participant has left, and asked for the deletion of all their data"
        return [Attention(kind: .deletion, since: device.received, text: text)]
    }

    private func silent(_ device: FleetDevice, _ wasSilent: Instant?) -> [Attention] {
        guard !device.report.isLast else { return [] }
        let due = deadline(of: device)
        // A device that was silent before the receiver restarted stays silent until it reports.
        let since = wasSilent.flatMap { device.received <= $0 ? $0 : nil } ?? (now > due ? due : nil)
        guard let since else { return [] }
        return [Attention(kind: .silent, since: since, text: "no report since \(device.received.shown()) UTC")]
    }

    /// Two devices that take turns to report in one name are clones; one that was exchanged reports no more.
    private func cloned(_ device: FleetDevice, _ others: [FleetDevice]) -> [Attention] {
        if let since = keyWarnings[device.report.participant]?.foreignKey, now - since < .seconds(86_400) {
            return [Attention(kind: .cloned, since: since, text: "another key was used with its name")]
        }
        let twin = others.first { other in
            other.received > device.first && device.received > other.first && !other.report.isLast
        }
        guard let twin, !device.report.isLast else { return [] }
        let both = max(device.first, twin.first)
        guard now - min(device.received, twin.received) < .seconds(86_400) else { return [] }
        return [Attention(kind: .cloned, since: both, text: "two devices report under this name")]
    }

    private func reported(_ device: FleetDevice, version: String?) -> [Attention] {
        let (report, limit) = (device.report, limits[device.report.study])
        func one(_ kind: Attention.Kind, _ text: String) -> Attention {
            Attention(kind: kind, since: device.received, text: text)
        }
        var found: [Attention] = []
        if report.isUnderVoltage == true { found.append(one(.underVoltage, "its power supply is too weak")) }
        if report.isDiskLow == true || report.diskFree.map({ $0 < limit.disk }) == true {
            let free = report.diskFree.map { "\(ByteText.of($0)) free" } ?? "nearly full"
            found.append(one(.disk, "its disk: \(free)"))
        }
        if let battery = report.battery, battery < limit.battery {
            found.append(one(.battery, "battery at \(Percent.text(Int(battery * 1000), of: 1000))"))
        }
        found += report.faults.map { fault in
            Attention(
                kind: .fault, part: fault.place ?? "", since: fault.since.flatMap(Instant.parsed) ?? device.received,
                text: (fault.place.map { "\($0): " } ?? "") + fault.fault)
        }
        // A clock without a source may be vouched for by the device's owner.
        if !(report.isClockTrusted ?? (report.clockSource != "none")) {
            found.append(one(.clock, "it does not know the time"))
        }
        found += compliance(device, limit)
        if let version, let own = report.version, Self.isOlder(own, than: version) {
            found.append(one(.version, "version \(own), not \(version)"))
        }
        return found
    }

    private func compliance(_ device: FleetDevice, _ limit: FleetLimits) -> [Attention] {
        let (week, before) = device.weeks(at: now)
        guard let share = week.share() else { return [] }
        let text = "\(week.answered) of \(week.over) prompts answered in seven days"
        var found: [Attention] = []
        if share < limit.compliance { found.append(.init(kind: .compliance, since: device.received, text: text)) }
        // 1e-9: differences of shares are not exact in binary.
        if let earlier = before.share(), earlier - share > Self.fall - 1e-9 {
            found.append(
                .init(
                    kind: .falling, since: device.received,
                    text: text + ", \(before.answered) of \(before.over) in the seven before"))
        }
        return found
    }

    // MARK: Versions

    /// `0.10.0` is newer than `0.9.1`; of `0.9.0~rc1` and `0.9.0` neither is older.
    static func isOlder(_ version: String, than other: String) -> Bool {
        let (left, right) = (numbers(version), numbers(other))
        guard !left.isEmpty, !right.isEmpty else { return false }
        for place in 0..<max(left.count, right.count) {
            let (one, two) = (place < left.count ? left[place] : 0, place < right.count ? right[place] : 0)
            if one != two { return one < two }
        }
        return false
    }

    static func newest(_ versions: [String]) -> String? { versions.max { isOlder($0, than: $1) } }

    private static func numbers(_ version: String) -> [Int] {
        version.prefix { $0 == "." || $0.isASCII && $0.isNumber }.split(separator: ".").compactMap { Int($0) }
    }
}
