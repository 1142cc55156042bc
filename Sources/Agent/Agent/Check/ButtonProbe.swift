// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import Glibc
import SystemKit

/// Tests the buttons: each opens and is not stuck; with a person, or simulated keys, each
/// is pressed once.
struct ButtonProbe: CheckProbe {
    /// A button that is down this long while no press was asked for is stuck.
    private static let stuckAfter: Duration = .seconds(1)
    /// How long a person may look for the button.
    private static let timeout: Duration = .seconds(15)
    let setting: CheckSetting

    var subjects: [CheckSubject] { setting.board.buttons.map { CheckSubject(.button, $0.name) } }

    func run(_ report: (CheckFinding) -> Void) {
        var states: [ButtonVerdict] = setting.board.buttons.indices.map { ButtonVerdict(read(at: $0)) }
        if states.contains(where: { $0.isDown }) {
            setting.sleep(for: Self.stuckAfter)
            for index in states.indices where states[index].isDown { states[index].recordSecondLook(read(at: index)) }
        }
        if states.contains(where: \.isUp), setting.person != nil || setting.press != nil { press(&states) }
        for (subject, state) in zip(subjects, states) { report(state.finding(subject)) }
    }

    /// Whether the button is down now, read with a line request made for this.
    private func read(at index: Int) -> Result<Bool, any Error> {
        let button = setting.board.buttons[index]
        return Result {
            try setting.opener.open("button[\(index)]", button.device) {
                guard case .line(let name) = button.source else { return try isKeyDown(button) }
                let (chip, line) = try name.resolve()
                let lines = try GPIOLines(
                    chip: chip, lines: [line], bias: button.bias, isActiveLow: button.isActiveLow)
                return try lines.isActive(line)
            }
        }
    }

    /// EVIOCGKEY; a pipe, which cannot be asked, has no key down.
    private func isKeyDown(_ button: BoardDescription.Button) throws -> Bool {
        let path = try ButtonOpener(setting.opener).path(of: button)
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError.last(path) }
        defer { close(descriptor) }
        var bits = [UInt8](repeating: 0, count: 96)  // a bit for each code up to KEY_MAX, 0x2FF
        guard clinux_input_keys(descriptor, &bits, CInt(bits.count)) >= 0 else { return false }
        return bits[button.code / 8] & (1 << (button.code % 8)) != 0
    }

    /// One button after the other; all are listened to, so that a wrong wire is seen as such.
    private func press(_ states: inout [ButtonVerdict]) {
        let sources: [any ButtonSource]
        do { sources = try ButtonOpener(setting.opener).all() } catch {
            for index in states.indices where states[index].isUp { states[index] = ButtonVerdict(.failure(error)) }
            return
        }
        let listener = ButtonListener(sources, clock: setting.clock)
        for index in states.indices where states[index].isUp {
            let button = setting.board.buttons[index]
            if button.source == .simulated, let press = setting.press {
                press(UInt16(button.code))
                states[index].recordPresses(
                    listener.listen(for: .seconds(2), until: index), expected: index, setting.board)
            } else if let person = setting.person {
                person.tell("Press '\(button.name)' (within \(Self.timeout.seconds.text(0)) s).")
                states[index].recordPresses(
                    listener.listen(for: Self.timeout, until: index), expected: index, setting.board)
            }
        }
    }
}

/// Listens to all buttons on one thread.
private final class ButtonListener {
    private let sources: [any ButtonSource]
    private let clock: any StudyClock

    init(_ sources: [any ButtonSource], clock: any StudyClock) { (self.sources, self.clock) = (sources, clock) }

    /// The buttons that went down, in order; ends early with a press of `button` and its release.
    func listen(for timeout: Duration, until button: Int) -> [Int] {
        let deadline = clock.monotonic + timeout
        var pressed: [Int] = []
        while case let left = deadline - clock.monotonic, left > .zero {
            var waiting = sources.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            _ = poll(&waiting, nfds_t(waiting.count), CInt(min(left, .milliseconds(20)).milliseconds))
            for edge in edges(waiting) {
                if edge.isPressed { pressed.append(edge.button) }
                if !edge.isPressed, edge.button == button, pressed.contains(button) { return pressed }
            }
        }
        return pressed
    }

    private func edges(_ waiting: [pollfd]) -> [ButtonEdge] {
        zip(sources, waiting).flatMap { source, state in
            let read = state.revents != 0 ? (try? source.read()) ?? [] : []
            return read + source.settle(at: clock.monotonic)
        }
    }
}
