// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Opens buttons in groups: the lines of a chip with the same bias and polarity, and the keys of an
/// input device.
extension PartOpener {
    /// Which buttons are opened together. The chip is named as the board file spells it: the path of a missing
    /// chip cannot be found out.
    private enum Group: Hashable {
        case keys(String)
        case lines(chip: String, isActiveLow: Bool, bias: GPIOLines.Bias)

        var order: String {
            switch self {
            case .keys(let device): device
            case .lines(let chip, let isActiveLow, let bias): "\(chip) \(isActiveLow) \(bias.rawValue)"
            }
        }
    }

    private typealias Members = [EnumeratedSequence<[BoardDescription.Button]>.Element]

    /// Opens all buttons; throws where one is missing. Edges carry a button's position in the board file.
    func buttons() throws -> [any ButtonSource] {
        try groups.map { group, members in try open(group, members) }
    }

    /// The same, but a group whose device is missing is opened as soon as the device is there.
    func awaitedButtons(at now: MonotonicTime) throws -> [any ButtonSource] {
        try groups.map { group, members in
            try AwaitedButtons(at: now) { [self] in try open(group, members) }
        }
    }

    private var groups: [(group: Group, members: Members)] {
        var groups: [Group: Members] = [:]
        for member in board.buttons.enumerated() { groups[group(member.element), default: []].append(member) }
        return groups.sorted { $0.key.order < $1.key.order }.map { ($0.key, $0.value) }
    }

    private func open(_ group: Group, _ members: Members) throws -> any ButtonSource {
        let numbers = members.map(\.offset)
        let first = members[0]
        return try open("button[\(first.offset)]", first.element.device) {
            switch group {
            case .keys: return RenumberedButtons(try keys(members), numbers: numbers)
            case .lines(_, let isActiveLow, let bias):
                let lines = try members.map { try line($0.element) }
                return RenumberedButtons(
                    try GPIOButtons(
                        chip: lines[0].chip, lines: lines.map(\.line), bias: bias,
                        isActiveLow: isActiveLow, debouncePeriod: .milliseconds(20)),
                    numbers: numbers)
            }
        }
    }

    private func group(_ button: BoardDescription.Button) -> Group {
        guard case .line(let line) = button.source else { return .keys(button.device) }
        let chip =
            switch line.place {
            case .offset(_, let chip): "\(chip)"
            case .named(let name): "line:\(name)"
            }
        return .lines(chip: chip, isActiveLow: button.isActiveLow, bias: button.bias)
    }

    private func line(_ button: BoardDescription.Button) throws -> (chip: String, line: UInt32) {
        // Only called for members of `Group.lines`, which have a line.
        guard case .line(let line) = button.source else { return ("", 0) }
        return try line.resolve()
    }

    /// An input device may be unplugged and come back; the pipe of simulated keys may not.
    private func keys(_ members: Members) throws -> any ButtonSource {
        let codes = members.map { UInt16($0.element.code) }
        if case .key(let device) = members[0].element.source { return try EvdevButtons(device, codes: codes) }
        return EvdevButtons(try EvdevKeys(path: try keyPath(members[0].element)), codes: codes)
    }

    func keyPath(_ button: BoardDescription.Button) throws -> String {
        if case .key(let device) = button.source { return try device.path() }
        return parts.keys ?? button.device
    }
}

/// Buttons of one device, which numbers them from 0, with their positions in the board file instead.
final class RenumberedButtons: ButtonSource {
    private let source: any ButtonSource
    private let numbers: [Int]

    init(_ source: any ButtonSource, numbers: [Int]) { (self.source, self.numbers) = (source, numbers) }

    var descriptor: CInt { source.descriptor }
    var due: MonotonicTime? { source.due }
    var fault: (any Error)? { source.fault }
    func read() throws(SystemError) -> [ButtonEdge] { renumber(try source.read()) }
    func settle(at now: MonotonicTime) -> [ButtonEdge] { renumber(source.settle(at: now)) }

    private func renumber(_ edges: [ButtonEdge]) -> [ButtonEdge] {
        edges.compactMap { edge in
            guard numbers.indices.contains(edge.button) else { return nil }
            var edge = edge
            edge.button = numbers[edge.button]
            return edge
        }
    }
}
