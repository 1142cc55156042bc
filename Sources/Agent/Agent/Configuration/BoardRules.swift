// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// The checks that no table of a board file can make alone: names, addresses and lines that are used twice, and
/// parts that are simulated without a `[world]`. `BoardDescription` runs them once all tables are read.
struct BoardRules {
    let root: ConfigTable
    /// There is a `[world]`.
    let simulates: Bool

    /// Throws the first thing that is wrong.
    func check(_ board: BoardDescription) throws {
        try unique(board.buses.map(\.name), "bus", "name")
        try unique(board.buses.map { $0.device == BoardDescription.simulated ? nil : $0.device }, "bus", "device")
        try unique(board.buttons.map(\.name), "button", "name")
        try unique(board.lights.map(\.name), "light", "name")
        try unique(board.buttons.map { $0.terminalKey.isEmpty ? nil : $0.terminalKey }, "button", "terminal_key")
        try distinct(board.chips.map { ("\($0.path).address", Self.at($0.address, on: $0.bus)) } + haptics(board))
        try distinct(board.kernelChips.map { ("\($0.path).device", $0.device) })
        try distinct(board.buttons.enumerated().compactMap(key) + lines(board))
        for chip in board.chips { try check(chip) }
        try checkButtonsOfLights(board)
        if !board.buttons.isEmpty, !board.buttons.contains(where: \.isOrdinary) {
            throw root.error(
                "button[0].\(board.buttons[0].isMarker ? "marker" : "task")", "no button is left to answer with",
                remedy: "leave at least one [[button]] without 'task' and 'marker'")
        }
        if !simulates { try checkDevices(board) }
    }

    private func check(_ chip: BoardDescription.Chip) throws {
        let entry: ChipEntry
        do { entry = try chip.entry() } catch { throw root.error("\(chip.path).type", "\(error)") }
        guard entry.identity.addresses.contains(chip.address) else {
            let possible = entry.identity.addresses.map(hexadecimal).joined(separator: " or ")
            throw root.error(
                "\(chip.path).address",
                "\(entry.name) cannot have address \(hexadecimal(chip.address))",
                remedy: "use \(possible), depending on how its pins are wired")
        }
    }

    /// A light may name the button at which it sits.
    private func checkButtonsOfLights(_ board: BoardDescription) throws {
        for (index, light) in board.lights.enumerated() {
            guard let button = light.button, !board.buttons.contains(where: { $0.name == button }) else { continue }
            let known = board.buttons.map(\.name).joined(separator: ", ")
            throw root.error(
                "light[\(index)].button", "there is no [[button]] named '\(button)'", remedy: "there are: \(known)")
        }
    }

    private func unique(_ values: [String?], _ table: String, _ key: String) throws {
        try distinct(
            values.enumerated().compactMap { index, value in value.map { ("\(table)[\(index)].\(key)", $0) } })
    }

    /// No two keys of the file may have one value.
    private func distinct(_ values: [(path: String, value: String)]) throws {
        var seen: [String: String] = [:]
        for (path, value) in values {
            if let first = seen[value] {
                let table = first.split(separator: ".").first ?? ""
                throw root.error(path, "'\(value)' is already used by \(table)", remedy: "use a different one")
            }
            seen[value] = path
        }
    }

    private func haptics(_ board: BoardDescription) -> [(path: String, value: String)] {
        guard case .chip(_, let bus, let address)? = board.vibration?.drive else { return [] }
        return [("vibration.address", Self.at(address, on: bus))]
    }

    private static func at(_ address: UInt8, on bus: String) -> String { "\(hexadecimal(address)) on \(bus)" }

    private func key(_ index: Int, _ button: BoardDescription.Button) -> (path: String, value: String)? {
        if case .line(let line) = button.source { return ("button[\(index)].device", "\(line.place)") }
        return ("button[\(index)].code", "\(button.device) \(button.code)")
    }

    /// Every line that something is driven by: a line does one thing.
    private func lines(_ board: BoardDescription) -> [(path: String, value: String)] {
        var lines: [(path: String, line: GPIOLineName?)] = []
        for (index, light) in board.lights.enumerated() {
            lines += light.device.lines.map { ("light[\(index)].device", $0) }
        }
        lines += board.chips.map { ("\($0.path).interrupt", $0.interrupt?.name) }
        lines.append(("buzzer.device", board.buzzer?.device.line))
        lines.append(("vibration.device", board.vibration?.device?.name))
        return lines.compactMap { path, line in line.map { (path, "\($0.place)") } }
    }

    /// Refuses a simulated part, for a board file without a `[world]`.
    private func checkDevices(_ board: BoardDescription) throws {
        func named(_ table: String, _ devices: [String]) -> [(path: String, device: String)] {
            devices.enumerated().map { ("\(table)[\($0.offset)].device", $0.element) }
        }
        let single = [
            ("buzzer", board.buzzer?.device.description), ("vibration", board.vibration?.device?.description),
            ("microphone", board.microphone?.device), ("loudspeaker", board.loudspeaker?.device),
            ("position", board.position?.device),
        ].compactMap { table, device in device.map { (path: "\(table).device", device: $0) } }
        let devices =
            named("bus", board.buses.map(\.device)) + named("button", board.buttons.map(\.device))
            + named("light", board.lights.map(\.device.description)) + single
        if let part = devices.first(where: { $0.device == BoardDescription.simulated }) {
            throw root.error(
                part.path, "is simulated, but there is no [world] to drive it", remedy: "add one, or name a real device"
            )
        }
    }
}

extension BoardDescription.Chip {
    /// Its line in the catalog; throws for an unknown chip.
    func entry() throws(UnknownChip) -> ChipEntry { try ChipCatalog.chip(named: type) }

    /// Its axes are left-handed, and its matrix mirrors none: compass and attitude would turn the wrong way.
    var lacksMirror: Bool { (try? entry())?.isLeftHanded == true && mounting?.isMirroring != true }
}
