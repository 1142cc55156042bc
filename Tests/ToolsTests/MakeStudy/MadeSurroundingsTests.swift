// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Device
import Testing

@testable import studyd_tools

@Suite struct MadeSurroundingsTests {
    /// The speed of RMC (NMEA 0183, knots of 1852 m an hour) is that of the second before, also where a walk begins or
    /// ends.
    @Test func theReceiverSaysHowFastTheWearerCame() throws {
        let (life, board) = (try MadeBoard.life(), try MadeBoard(""))
        func knots(_ from: Double, _ to: Double) -> Double {
            let (from, to) = (life.body.position(at: from), life.body.position(at: to))
            return DistancePath.metres((from.latitude, from.longitude), (to.latitude, to.longitude)) * 3600 / 1852
        }
        var changes = 0
        for power in life.powerOns {
            let surroundings = try SimulatedSurroundings(power, of: life, on: board.board)
            let (booted, offset) = (surroundings.clock.monotonic, (power.start - life.start).seconds)
            let (first, end) = (power.boot.clockKnownAfter.seconds + 3, power.boot.length.seconds - 3)
            for edge in life.body.walks.flatMap({ [$0.start, $0.end] }) where (first..<end).contains(edge - offset) {
                for second in stride(from: edge - 2, through: edge + 2, by: 1) {
                    let bytes = surroundings.sentences(booted + .seconds(second - offset))
                    let fields = String(decoding: bytes, as: UTF8.self).split(
                        separator: ",", omittingEmptySubsequences: false)
                    let speed = try #require(Double(fields[7]))
                    #expect(abs(speed - knots(second - 1, second)) < 0.006, "\(second)")
                    if abs(knots(second - 1, second) - knots(second, second + 1)) > 0.5 { changes += 1 }
                }
            }
        }
        #expect(changes > 0)
    }

    @Test func theReceiverHasNoFixUntilTheClockIsKnown() throws {
        let (life, board) = (try MadeBoard.life(), try MadeBoard(""))
        #expect(life.powerOns.contains { $0.boot.clockKnownAfter > .zero })
        for power in life.powerOns {
            let surroundings = try SimulatedSurroundings(power, of: life, on: board.board)
            let (booted, known) = (surroundings.clock.monotonic, power.boot.clockKnownAfter)
            for (time, hasFix) in [(.zero, known == .zero), (known - .nanoseconds(1), false), (known, true)]
                as [(Duration, Bool)] where time >= .zero
            {
                let text = String(decoding: surroundings.sentences(booted + time), as: UTF8.self)
                #expect(text.hasPrefix("$GPRMC,,V") != hasFix, "\(text)")
            }
        }
    }
}
