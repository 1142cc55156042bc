// SPDX-License-Identifier: Apache-2.0
import Hardware
import Times

/// Opens buttons: the lines of a chip that are pulled alike together, the keys of an input device together.
extension PartOpener {
    /// What is opened together.
    private enum Group: Hashable, Comparable {
        case keys(String)
        case lines(chip: String, isActiveLow: Bool, bias: LineBias)

        private var order: String {
            switch self {
            case .keys(let device): device
            case .lines(let chip, let isActiveLow, let bias): "\(chip) \(isActiveLow) \(bias.rawValue)"
            }
        }
        static func < (left: Group, right: Group) -> Bool { left.order < right.order }
    }

    private typealias Members = [EnumeratedSequence<[BoardDescription.Button]>.Element]

    /// The buttons, opened anew; given to the input thread. Their numbers are their places in the file.
    func buttons() throws -> [any ButtonSource] {
        var groups: [Group: Members] = [:]
        for member in board.buttons.enumerated() { groups[try group(member), default: []].append(member) }
        return try groups.sorted { $0.key < $1.key }.map { group, members in
            let numbers = members.map(\.offset)
            let first = members[0]
            return try open("button[\(first.offset)]", first.element.device) {
                switch group {
                case .keys: RenumberedButtons(try keys(members), numbers: numbers)
                case .lines(let chip, let isActiveLow, let bias):
                    RenumberedButtons(
                        try GPIOButtons(
                            chip: chip, lines: try members.map { try line($0.element) }, bias: bias.hardware,
                            isActiveLow: isActiveLow, debouncePeriod: .milliseconds(20)),
                        numbers: numbers)
                }
            }
        }
    }

    private func group(_ member: Members.Element) throws -> Group {
        let button = member.element
        guard case .line(let line) = button.source else { return .keys(button.device) }
        let chip = try open("button[\(member.offset)]", button.device) { try line.resolve().chip }
        return .lines(chip: chip, isActiveLow: button.isActiveLow, bias: button.bias)
    }

    private func line(_ button: BoardDescription.Button) throws -> UInt32 {
        guard case .line(let line) = button.source else { return 0 }
        return try line.resolve().line
    }

    /// An input device may be unplugged and come back; the pipe of simulated keys may not.
    private func keys(_ members: Members) throws -> any ButtonSource {
        let codes = members.map { UInt16($0.element.code) }
        if case .key(let device) = members[0].element.source { return try EvdevButtons(device, codes: codes) }
        return EvdevButtons(try EvdevKeys(path: try keyPath(members[0].element)), codes: codes)
    }

    /// The file that a button's key is read from.
    func keyPath(_ button: BoardDescription.Button) throws -> String {
        if case .key(let device) = button.source { return try device.path() }
        return parts.keys ?? button.device
    }
}

/// Buttons of one device with their numbers on the whole panel.
final class RenumberedButtons: ButtonSource {
    private let source: any ButtonSource
    private let numbers: [Int]

    init(_ source: any ButtonSource, numbers: [Int]) {
        self.source = source
        self.numbers = numbers
    }

    var descriptor: CInt { source.descriptor }
    var due: MonotonicTime? { source.due }
    var fault: SystemError? { source.fault }
    func read() throws(SystemError) -> [ButtonEdge] { renumber(try source.read()) }
    func settle(at now: MonotonicTime) -> [ButtonEdge] { renumber(source.settle(at: now)) }

    private func renumber(_ edges: [ButtonEdge]) -> [ButtonEdge] {
        edges.compactMap { edge in
            numbers.indices.contains(edge.button)
                ? ButtonEdge(button: numbers[edge.button], isPressed: edge.isPressed, time: edge.time) : nil
        }
    }
}
