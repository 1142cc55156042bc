// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Opens a board's buttons in groups: the lines of a chip with the same bias and polarity, and the keys of an
/// input device. `studyd check` opens them all, `BoardDevices` each group as soon as its device is there.
struct ButtonOpener: Sendable {
    /// Which buttons are opened together. The chip is named as the board file spells it: the path of a missing
    /// chip cannot be found out.
    private enum Group: Hashable {
        case keys(String)
        case lines(chip: String, isActiveLow: Bool, bias: GPIOLines.Bias)

        init(_ button: BoardDescription.Button) {
            guard case .line(let line) = button.source else {
                self = .keys(button.device)
                return
            }
            let chip =
                switch line.place {
                case .offset(_, let chip): "\(chip)"
                case .named(let name): "line:\(name)"
                }
            self = .lines(chip: chip, isActiveLow: button.isActiveLow, bias: button.bias)
        }

        var order: String {
            switch self {
            case .keys(let device): device
            case .lines(let chip, let isActiveLow, let bias): "\(chip) \(isActiveLow) \(bias.rawValue)"
            }
        }
    }

    private struct Member: Sendable {
        /// The button's position in the board file.
        let number: Int
        let button: BoardDescription.Button
    }

    private let opener: PartOpener

    init(_ opener: PartOpener) { self.opener = opener }

    /// Opens all buttons; throws where one is missing. Edges carry a button's position in the board file.
    func all() throws -> [any ButtonSource] { try groups.map { try open($0) } }

    /// The same, but a group whose device is missing is opened as soon as the device is there.
    func awaited(at now: MonotonicTime) throws -> [any ButtonSource] {
        try groups.map { members in try AwaitedButtons(at: now) { [self] in try open(members) } }
    }

    /// The path of the device file or pipe of a key.
    func path(of key: BoardDescription.Button) throws -> String {
        if case .key(let device) = key.source { return try device.path() }
        return opener.parts.keys ?? key.device
    }

    private var groups: [[Member]] {
        var groups: [Group: [Member]] = [:]
        for (number, button) in opener.board.buttons.enumerated() {
            groups[Group(button), default: []].append(Member(number: number, button: button))
        }
        return groups.sorted { $0.key.order < $1.key.order }.map(\.value)
    }

    /// Opens the buttons of one group, of which there is at least one.
    private func open(_ members: [Member]) throws -> any ButtonSource {
        let first = members[0]
        return try opener.open("button[\(first.number)]", first.button.device) {
            let source = if case .line = first.button.source { try lines(members) } else { try keys(members) }
            return RenumberedButtons(source, numbers: members.map(\.number))
        }
    }

    private func lines(_ members: [Member]) throws -> any ButtonSource {
        let places: [(chip: String, line: UInt32)] = try members.compactMap { member in
            guard case .line(let line) = member.button.source else { return nil }
            return try line.resolve()
        }
        let button = members[0].button
        return try GPIOButtons(
            chip: places[0].chip, lines: places.map(\.line), bias: button.bias, isActiveLow: button.isActiveLow,
            debouncePeriod: .milliseconds(20))
    }

    /// An input device may be unplugged and come back; the pipe of simulated keys may not.
    private func keys(_ members: [Member]) throws -> any ButtonSource {
        let codes = members.map { UInt16($0.button.code) }
        if case .key(let device) = members[0].button.source { return try EvdevButtons(device, codes: codes) }
        return EvdevButtons(try EvdevKeys(path: try path(of: members[0].button)), codes: codes)
    }
}
