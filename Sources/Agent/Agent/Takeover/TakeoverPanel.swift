// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit

/// Signals what became of a folder, while no agent has the board: by its lights, buzzer and motor,
/// else by the light of the computer itself.
package struct TakeoverPanel: Sendable {
    private let player: SignalPlayer
    private let hasLight: Bool
    private let clock: any StudyClock

    /// Opens what is there of the board. `board`: nil = it is unknown.
    package init(_ board: BoardDescription?, places: TakeoverPlaces, clock: any StudyClock) throws {
        var lights: [any Indicator] = []
        var (buzzer, motor): ((any Buzzer)?, (any Buzzer)?) = (nil, nil)
        if let board {
            let opener = PartOpener(board: board, parts: SimulatedParts())
            lights = board.lights.indices.compactMap { try? opener.light($0) }
            buzzer = try? opener.buzzer()
            motor = try? opener.vibration()
        }
        if lights.isEmpty {
            lights = places.systemLights.lazy.compactMap { try? SysfsLED(directory: $0) }.first.map { [$0] } ?? []
        }
        hasLight = !lights.isEmpty
        player = try SignalPlayer(lights: lights, buzzer: buzzer, vibration: motor)
        self.clock = clock
    }

    /// Signals that a folder is being taken over, until `play`; with a sound where there is no light.
    package func begin() {
        player.play(Array(repeatElement(TakeoverOutcome.underWay(isSilent: hasLight), count: 200).joined()))
    }

    /// Repeats the signal for at least so long; blocks. Dark and silent afterwards.
    package func play(_ outcome: TakeoverOutcome, for time: Duration) throws {
        let (steps, waker, end) = (outcome.steps, try Waker(), clock.monotonic + time)
        let length = steps.reduce(Duration.zero) { $0 + $1.duration }
        repeat {
            player.play(steps)
            waker.wait(atMost: length)
        } while clock.monotonic < end
        player.stop()
    }
}
