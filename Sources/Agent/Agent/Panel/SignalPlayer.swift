// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import Synchronization
import SystemKit

/// Plays signals on lights and buzzer, on its thread; a new signal replaces the one being played.
package final class SignalPlayer: Sendable {
    private let stage: SignalStage
    private let worker: WorkerThread

    /// Plays on these devices from now on. `buttons` says at which button of the panel each light
    /// sits, nil = at none; lights at buttons show only the signals of their buttons, unless there
    /// are no other lights. `shown` gets, on the player's thread, when the lights were switched for each step
    /// with a `mark`; it must only post.
    package init(
        lights: [any Indicator], buttons: [Int?] = [], buzzer: (any Buzzer)?, vibration: (any Buzzer)? = nil,
        shown: @escaping @Sendable (ShownLight) -> Void = { _ in }
    ) throws {
        let stage = SignalStage(waker: try Waker(), buttons: buttons, shown: shown)
        self.stage = stage
        worker = try WorkerThread(name: "studyd-signal", waker: stage.waker) {
            stage.run(lights, buzzer, vibration)
        }
    }

    /// Plays `steps` at once; any thread, never blocks.
    package func play(_ steps: [SignalStep]) {
        stage.pending.withLock { $0 = steps }
        worker.wake()
    }

    /// Makes everything dark and silent, and ends the thread. A thread that hangs in a driver is abandoned after
    /// a second.
    package func stop() { worker.stop(within: .seconds(1)) }
}

/// What the player and its thread both hold.
private final class SignalStage: Sendable {
    let waker: Waker
    let pending = Mutex<[SignalStep]?>(nil)
    private let buttons: [Int?]
    private let shown: @Sendable (ShownLight) -> Void
    /// All lights sit at buttons, so all of them show what is meant for no single button.
    private let hasButtonsOnly: Bool

    init(waker: Waker, buttons: [Int?], shown: @escaping @Sendable (ShownLight) -> Void) {
        (self.waker, self.shown, self.buttons) = (waker, shown, buttons)
        hasButtonsOnly = !buttons.isEmpty && buttons.allSatisfy { $0 != nil }
    }

    /// The light of a button shows that button's signals, the others everything else.
    private func isMeant(_ light: Int, by step: SignalStep) -> Bool {
        let own = buttons.indices.contains(light) ? buttons[light] : nil
        return step.button == nil ? own == nil || hasButtonsOnly : own == step.button
    }

    func run(_ lights: [any Indicator], _ buzzer: (any Buzzer)?, _ vibration: (any Buzzer)?) {
        var steps: ArraySlice<SignalStep> = []
        var end = MonotonicTime.zero
        while !waker.isStopping {
            let now = Self.clock.monotonic
            if let new = pending.withLock({ $0.take() }) {
                steps = new[...]
            } else if now < end {
                // Woken for a signal that was taken before the wake-up was seen.
                waker.wait(atMost: end - now)
                continue
            }
            let step = steps.popFirst()
            show(step, lights, buzzer, vibration)
            end = Self.clock.monotonic + (step?.duration ?? .zero)
            waker.wait(atMost: step?.duration)
        }
        show(nil, lights, buzzer, vibration)
    }

    private func show(
        _ step: SignalStep?, _ lights: [any Indicator], _ buzzer: (any Buzzer)?, _ vibration: (any Buzzer)?
    ) {
        let began = Self.clock.monotonic
        var lit: MonotonicTime?
        let colour = step?.light.map(\.onLights) ?? .off
        for (index, light) in lights.enumerated() {
            let isOn = step.map { isMeant(index, by: $0) } ?? false
            let isDone = attempt { try light.show(isOn ? colour : .off) }
            // The first that is on is what is seen.
            if isOn, isDone, lit == nil { lit = Self.clock.monotonic }
        }
        if let mark = step?.mark {
            shown(ShownLight(mark: mark, began: began, ended: lit ?? Self.clock.monotonic, isLit: lit != nil))
        }
        let tone = step.flatMap { $0.sounds ? Double($0.pitch ?? 2000) : nil }
        if let buzzer { attempt { try buzzer.tone(frequency: tone) } }
        if let vibration { attempt { try vibration.tone(frequency: step?.vibrates == true ? Self.shaking : nil) } }
    }

    /// A motor knows only on and off; driven by a PWM channel it gets what its coil still
    /// follows, in hertz.
    private static let shaking = 200.0

    private static let clock = SystemClock()

    @discardableResult private func attempt(_ body: () throws -> Void) -> Bool { (try? body()) != nil }
}

extension SignalColour {
    fileprivate var onLights: LightColour {
        switch self {
        case .white: LightColour(red: 255, green: 255, blue: 255)
        case .red: LightColour(red: 255, green: 0, blue: 0)
        case .green: LightColour(red: 0, green: 255, blue: 0)
        case .blue: LightColour(red: 0, green: 0, blue: 255)
        case .yellow: LightColour(red: 255, green: 160, blue: 0)
        case .violet: LightColour(red: 200, green: 0, blue: 255)
        }
    }
}
