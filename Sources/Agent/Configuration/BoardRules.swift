// SPDX-License-Identifier: Apache-2.0
import Sensors

/// What no single table of a board file can know: names and places that are taken, and what is simulated.
struct BoardRules {
    private let root: ConfigTable
    /// There is a `[world]`.
    private let simulates: Bool

    /// The rules for the file of that root table.
    init(_ root: ConfigTable, simulates: Bool) {
        self.root = root
        self.simulates = simulates
    }

    /// Throws the first thing that is wrong.
    func check(_ board: BoardDescription) throws {
        try unique(board.buses.map(\.name), "bus", "name")
        try unique(board.buttons.map(\.name), "button", "name")
        try unique(board.lights.map(\.name), "light", "name")
        try unique(board.buttons.map { "\($0.device) \($0.code)" }, "button", "code")
        try unique(board.buttons.map { $0.terminalKey.isEmpty ? nil : $0.terminalKey }, "button", "terminal_key")
        try unique(board.chips.map { "\($0.bus) \($0.address)" }, "chip", "address")
        try unique(board.chips.map { $0.interrupt.map { "\($0.chip):\($0.line)" } }, "chip", "interrupt")
        for (index, chip) in board.chips.enumerated() {
            do { _ = try Catalog.chip(named: chip.type) } catch { throw root.error("chip[\(index)].type", "\(error)") }
        }
        if !simulates { try checkDevices(board) }
    }

    private func unique(_ values: [String?], _ table: String, _ key: String) throws {
        var seen: [String: Int] = [:]
        for (index, value) in values.enumerated() {
            guard let value else { continue }
            if let first = seen[value] {
                throw root.error(
                    "\(table)[\(index)].\(key)", "'\(value)' is that of \(table)[\(first)] too; give it its own")
            }
            seen[value] = index
        }
    }

    private func checkDevices(_ board: BoardDescription) throws {
        func named(_ table: String, _ devices: [String]) -> [(path: String, device: String)] {
            devices.enumerated().map { ("\(table)[\($0.offset)].device", $0.element) }
        }
        let single = [
            ("buzzer", board.buzzer), ("microphone", board.microphone?.device),
            ("loudspeaker", board.loudspeaker?.device), ("position", board.position?.device),
        ].compactMap { table, device in device.map { (path: "\(table).device", device: $0) } }
        let devices =
            named("bus", board.buses.map(\.device)) + named("button", board.buttons.map(\.device))
            + named("light", board.lights.map(\.device)) + single
        if let part = devices.first(where: { $0.device == BoardDescription.simulated }) {
            throw root.error(
                part.path, "is simulated, but there is no [world] that moves it; add one, or name the device")
        }
    }
}
