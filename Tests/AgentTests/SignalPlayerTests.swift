// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Foundation
import Study
import Synchronization
import SystemKit
import Testing

@testable import Agent

/// What was reported, on whichever thread.
private final class Told: Sendable {
    private let lights = Mutex<[ShownLight]>([])
    let done = DispatchSemaphore(value: 0)

    func add(_ light: ShownLight) {
        lights.withLock { $0.append(light) }
        done.signal()
    }

    var all: [ShownLight] { lights.withLock { $0 } }
}

/// A light that notes when it was switched, and may refuse.
private final class NotedLight: Indicator {
    let isColoured = false
    let refuses: Bool
    let switched = Mutex<[MonotonicTime]>([])
    /// It is off, and was on before.
    let dark = DispatchSemaphore(value: 0)

    init(refuses: Bool = false) { self.refuses = refuses }

    func show(_ colour: LightColour) throws(SystemError) {
        guard colour != .off else {
            if switched.withLock({ !$0.isEmpty }) { dark.signal() }
            return
        }
        if refuses { throw SystemError(code: 5, operation: "switch", place: "light") }
        let now = SystemClock().monotonic
        switched.withLock { $0.append(now) }
    }

    func close() {}
}

@Suite struct SignalPlayerTests {
    private func play(_ lights: [NotedLight], marks: [Int?]) throws -> [ShownLight] {
        let told = Told()
        let player = try SignalPlayer(lights: lights, buzzer: nil) { told.add($0) }
        player.play(marks.map { SignalStep(light: .white, duration: .milliseconds(5), mark: $0) })
        for mark in marks where mark != nil { #expect(told.done.wait(timeout: .now() + 300) == .success) }
        player.stop()
        return told.all
    }

    @Test func theTimeOfAMarkedLightLiesBetweenItsBounds() throws {
        let light = NotedLight()
        let shown = try play([light], marks: [1, nil, 2])
        #expect(shown.map(\.mark) == [1, 2] && shown.allSatisfy(\.isLit))
        let switched = light.switched.withLock { [$0[0], $0[2]] }
        for (mark, time) in zip(shown, switched) { #expect(mark.began <= time && time <= mark.ended) }
    }

    /// A signal that is asked for while the thread begins, as the first of a takeover is: the wake-up comes
    /// after it was taken, and must not shorten it. poll(2) never returns before its time.
    @Test func theFirstStepLastsItsTimeHoweverEarlyItIsAskedFor() throws {
        for _ in 0..<30 {
            let (light, told) = (NotedLight(), Told())
            let player = try SignalPlayer(lights: [light], buzzer: nil) { told.add($0) }
            player.play((0...1).map { SignalStep(light: .white, duration: .milliseconds(10), mark: $0) })
            for _ in 0...1 { #expect(told.done.wait(timeout: .now() + 300) == .success) }
            player.stop()
            let switched = light.switched.withLock { $0 }
            #expect(switched[1] - switched[0] >= .milliseconds(10), "\(switched[1] - switched[0])")
        }
    }

    @Test func stoppingDoesNotWaitForTheEndOfAStep() throws {
        let (light, told) = (NotedLight(), Told())
        let player = try SignalPlayer(lights: [light], buzzer: nil) { told.add($0) }
        player.play([SignalStep(light: .white, duration: .seconds(86_400), mark: 1)])
        #expect(told.done.wait(timeout: .now() + 300) == .success)
        player.stop()
        #expect(light.dark.wait(timeout: .now() + 60) == .success)
    }

    @Test func aLightThatRefusesIsTold() throws {
        #expect(try play([NotedLight(refuses: true)], marks: [1]).map(\.isLit) == [false])
        #expect(try play([NotedLight(refuses: true), NotedLight()], marks: [1]).map(\.isLit) == [true])
        #expect(try play([], marks: [1]).map(\.isLit) == [false])
    }

    /// What the documentation states: the way from asking for a light to its writing takes
    /// well below the millisecond of a reaction time, seen on a plain file as the kernel's
    /// LED class has it.
    @Test func switchingALightOfTheLEDClassTakesLittle() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in [("brightness", "0"), ("max_brightness", "255")] {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        let led = try SysfsLED(directory: folder.path)
        let told = Told()
        let player = try SignalPlayer(lights: [led], buzzer: nil) { told.add($0) }
        for mark in 1...50 {
            player.play([SignalStep(light: .white, duration: .milliseconds(2), mark: mark)])
            #expect(told.done.wait(timeout: .now() + 300) == .success)
        }
        player.stop()
        let lengths = told.all.map { $0.uncertainty.nanoseconds / 1_000 }.sorted()
        print("light of the LED class: uncertainty \(lengths[25]) µs in the middle, \(lengths[49]) µs at most")
        #expect(lengths[25] < 1_000)
    }
}
