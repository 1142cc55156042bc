// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Agent

struct LiveMemoryTests {
    @Test func itOutlivesTheProcess() async throws {
        try await AgentFixture.inFolder { path in
            var memory = LiveMemory(in: path, device: "d1")
            #expect(memory.studies.isEmpty)
            for study in ["a", "b", "a"] { try memory.add(study) }
            #expect(LiveMemory(in: path, device: "d1").studies == ["b", "a"])
            try memory.keepOnly("b")
            #expect(LiveMemory(in: path, device: "d1").studies == ["b"])
            try memory.keepOnly(nil)
            #expect(LiveMemory(in: path, device: "d1").studies.isEmpty)
        }
    }

    /// The first device may still take part in the study.
    @Test func onACopiedCardTheFirstDeviceStaysShown() async throws {
        try await AgentFixture.inFolder { path in
            var memory = LiveMemory(in: path, device: "d1")
            try memory.add("a")
            #expect(LiveMemory(in: path, device: "d2").studies.isEmpty)
        }
    }

    /// At the limit, and one beyond it.
    @Test func theOldestIsForgottenWhereThereAreTooMany() async throws {
        try await AgentFixture.inFolder { path in
            var memory = LiveMemory(in: path, device: "d1")
            let names = (0...LiveMemory.most).map { "s\($0)" }
            for name in names.dropLast() { try memory.add(name) }
            #expect(memory.studies == Array(names.dropLast()))
            try memory.add(names[LiveMemory.most])
            #expect(memory.studies == Array(names.dropFirst()))
            #expect(LiveMemory(in: path, device: "d1").studies == memory.studies)
        }
    }

    @Test func whatIsNoStudyIsIgnored() async throws {
        try await AgentFixture.inFolder { path in
            let lines = "d1 good\nd1\nd1 a b\nd1 #\nd1 \(String(repeating: "x", count: 61))\n"
            try AtomicFile.write(Array(lines.utf8), to: StateFolder.liveMemory(in: path))
            #expect(LiveMemory(in: path, device: "d1").studies == ["good"])
        }
    }
}
