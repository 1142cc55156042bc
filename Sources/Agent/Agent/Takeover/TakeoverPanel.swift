// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import Synchronization
import SystemKit

/// Signals a takeover, which sets the device up from a folder on its card or a stick, and its outcome:
/// by the board's lights, buzzer and motor, else by the computer's own light. `studyd takeover` makes one unless an
/// agent runs, which would hold the board; it calls `showWork`, then `play` or `stop`.
package final class TakeoverPanel: Sendable {
    /// While the takeover works. The lights are held until the outcome is signalled.
    private struct Work {
        let lights: [any Indicator]
        let player: SignalPlayer
    }

    private let places: TakeoverPlaces
    private let clock: any StudyClock
    private let work = Mutex<Work?>(nil)

    package init(places: TakeoverPlaces, clock: any StudyClock) {
        self.places = places
        self.clock = clock
    }

    /// Shows that the device is being set up, again and again until the outcome is played: by light,
    /// and by sound where there is none. Blocks for a second at most.
    package func showWork(on board: BoardDescription?) {
        let lights = lights(of: board)
        let buzzer = lights.isEmpty ? try? opener(of: board)?.buzzer() : nil
        guard !lights.isEmpty || buzzer != nil, let player = try? SignalPlayer(lights: lights, buzzer: buzzer) else {
            return
        }
        stop()
        player.play(Self.workSteps(sounding: lights.isEmpty))
        work.withLock { $0 = Work(lights: lights, player: player) }
    }

    /// Ends the signal of `showWork`.
    package func stop() { work.withLock { $0.take() }?.player.stop() }

    /// Repeats the signal for at least `time`; blocks. Dark and silent afterwards. Opens what is
    /// there of the board; nil = it is unknown.
    package func play(_ outcome: TakeoverOutcome, on board: BoardDescription?, for time: Duration) throws {
        let held = work.withLock { $0.take() }
        held?.player.stop()
        let opener = opener(of: board)
        let player = try SignalPlayer(
            lights: held?.lights ?? lights(of: board), buzzer: try? opener?.buzzer(),
            vibration: try? opener?.vibration())
        let (steps, waker, end) = (outcome.steps, try Waker(), clock.monotonic + time)
        let length = steps.reduce(Duration.zero) { $0 + $1.duration }
        repeat {
            player.play(steps)
            waker.wait(atMost: length)
        } while clock.monotonic < end
        player.stop()
    }

    /// No part is simulated.
    private func opener(of board: BoardDescription?) -> PartOpener? {
        board.map { PartOpener(board: $0, parts: SimulatedParts()) }
    }

    private func lights(of board: BoardDescription?) -> [any Indicator] {
        let opener = opener(of: board)
        let own = (board?.lights.indices).map { $0.compactMap { try? opener?.light($0) } } ?? []
        return own.isEmpty
            ? places.systemLights.lazy.compactMap { try? SysfsLED(directory: $0) }.first.map { [$0] } ?? [] : own
    }

    /// For a quarter of an hour: no takeover lasts longer (studyd-takeover.service).
    package static func workSteps(sounding: Bool = false) -> [SignalStep] {
        let cue = Cue.condition(.takingOver)
        let once =
            cue.rhythm.steps { beat, _ in
                SignalStep(light: cue.colour, sounds: sounding, pitch: sounding ? 880 : nil, duration: beat.duration)
            }
            + [SignalStep(duration: TakeoverOutcome.rest)]
        let length = once.reduce(Duration.zero) { $0 + $1.duration }
        return Array(repeatElement(once, count: Int(Duration.seconds(900) / length)).joined())
    }
}
