// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import SystemKit
import Testing

@testable import Agent
@testable import Study

extension SoundSuites {
    /// A question may be left while the device measures for it; the microphone is a real capture of a file,
    /// by ALSA's own plugin.
    @Suite(.timeLimit(.minutes(10))) struct DeviceReadingsTests {
        private static let board = """
            name = "booth"
            microphone = { device = "simulated", rate = 16000 }
            button = [{ name = "select", device = "simulated", code = 28 }]
            light = [{ name = "status", device = "simulated" }]
            world = { script = "still 60s" }
            """

        private final class Booth {
            let fixture: SoundFixture
            let news: Handed<RecorderNews>
            let mailbox = Mailbox()
            let system: MeasuringSystem
            let readings: DeviceReadings
            private let keys: SimulatedKeys
            private let panel: SimulatedPanelFolder

            init() throws {
                let clock = SystemClock()
                fixture = try SoundFixture()
                keys = try SimulatedKeys(path: fixture.path + "/keys")
                panel = try SimulatedPanelFolder(isColoured: false)
                var parts = SimulatedParts()
                parts.keys = keys.path
                parts.lights["status"] = panel.light
                parts.microphone = PCMParameters(
                    device: "mic",
                    configuration: ALSAConfiguration.filePlugin(name: "mic", infile: "/dev/zero"), rate: 16_000,
                    pacing: .byClock)
                let board = try BoardDescription(parsing: DeviceReadingsTests.board, file: "booth.toml")
                let folder = try RecordingFolder(fixture.path + "/recordings")
                let news = try Handed<RecorderNews>()
                self.news = news
                let anchor = ClockAnchor(
                    monotonic: clock.monotonic, instant: clock.now, source: .simulated, uncertainty: .milliseconds(1))
                system = try MeasuringSystem(
                    MeasuringSystem.Setting(
                        devices: try BoardDevices(board, parts: parts, clock: clock), measures: [],
                        origin: RecordingOrigin(study: "S", participant: "P", deviceID: 1, bootID: "b", zone: .utc),
                        folder: folder, clock: clock, needsMicrophone: true, anchors: [anchor]),
                    onEdge: { _ in }, remark: { _ in }, onNews: { news.add($0) })
                readings = DeviceReadings(clock: clock, folder: folder, mailbox: mailbox, opener: nil)
            }

            /// What became of the recording of which `isMeant` knows the id; true = there is a file.
            func end(_ isMeant: (String) -> Bool) -> (news: RecorderNews, hasFile: Bool)? {
                let found = news.wait(for: 1) {
                    switch $0 {
                    case .memo(let id, _), .memoFailed(let id): isMeant(id)
                    default: false
                    }
                }.first
                return found.map { if case .memo = $0 { ($0, true) } else { ($0, false) } }
            }

            /// What the sound of a reading came to, and which it was.
            func figures() async -> (figures: [Double]?, number: Int)? {
                for await event in mailbox.events {
                    if case .soundRead(let figures, let number) = event { return (figures, number) }
                }
                return nil
            }
        }

        @Test func aSpokenAnswerGetsTheMicrophoneOfAReadingThatWasLeft() async throws {
            let booth = try Booth()
            defer { _ = booth.system.stop() }
            #expect(booth.readings.begin(.noise(seconds: 60), "run-1-1-1", with: booth.system.recorder).isEmpty)
            booth.readings.cancel(booth.system.recorder)
            booth.system.recorder.startMemo("run-1-2-2")
            let left = try #require(booth.end { $0.hasPrefix(SoundReading.prefix) })
            #expect(booth.readings.take(left.news), "it is nothing to the core")
            // As the reading's end would.
            booth.readings.end(1, with: booth.system.recorder)
            booth.system.recorder.startMemo("beside")
            #expect(booth.end { $0 == "beside" }?.hasFile == false, "the answer is still being spoken")
            booth.system.recorder.stopMemo()
            #expect(booth.end { $0 == "run-1-2-2" }?.hasFile == true)
        }

        @Test func onlyTheLastReadingAnswers() async throws {
            let booth = try Booth()
            defer { _ = booth.system.stop() }
            _ = booth.readings.begin(.noise(seconds: 60), "run-1-1-1", with: booth.system.recorder)
            #expect(booth.readings.begin(.ambient(seconds: 1), "run-1-1-1", with: booth.system.recorder).isEmpty)
            let left = try #require(booth.end { $0.hasPrefix(SoundReading.prefix + "noise") })
            #expect(booth.readings.take(left.news))
            #expect(booth.readings.take(.direction(41)), "no compass is asked for")
            // The second's own end, which the clock posts.
            for await event in booth.mailbox.events {
                guard case .soundReadingEnds(let number) = event else { continue }
                booth.readings.end(number, with: booth.system.recorder)
                break
            }
            let heard = try #require(booth.end { $0.hasPrefix(SoundReading.prefix + "ambient") })
            #expect(booth.readings.take(heard.news))
            let read = try #require(await booth.figures())
            #expect(read.figures == [0], "silence")
            #expect(booth.readings.finish([-40, -50, -30], read.number - 1).isEmpty, "of the one that was left")
            guard
                case .conductor(.device(.reading(let figures)))? = booth.readings.finish(read.figures, read.number)
                    .first
            else { return #expect(Bool(false)) }
            #expect(figures == [0])
            #expect(SoundFixture.names(in: booth.fixture.path + "/recordings").allSatisfy { !$0.contains(".flac") })
        }
    }
}
