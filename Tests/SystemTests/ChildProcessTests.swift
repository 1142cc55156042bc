// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

/// The shell is the witness: sh(1) exits with the status it is given, and a signal that is not
/// blocked ends it.
@Suite(.timeLimit(.minutes(10))) struct ChildProcessTests {
    private func run(_ script: String, environment: [String]? = nil, signal: CInt? = nil) throws -> (CInt, String) {
        let input = try Pipe(name: "in", isBlocking: true)
        let output = try Pipe(name: "out", isBlocking: true)
        let child = try ChildProcess(
            ["sh", "-c", script], input: input.reading.rawValue, output: output.writing.rawValue,
            environment: environment)
        let said = output.readingEnd()
        if let signal {
            // It has begun once it says so.
            #expect(try said.read(upTo: 1) == Array("b".utf8))
            child.signal(signal)
        }
        let status = child.wait()
        return (status, String(decoding: try said.read(upTo: 100) ?? [], as: UTF8.self))
    }

    @Test func itsStatusAndItsWordsComeBack() throws {
        #expect(try run("echo said; exit 7") == (7, "said\n"))
        #expect(try run("kill -9 $$").0 == 128 + SIGKILL)
        #expect(try run("echo $WORD", environment: ["PATH=/usr/bin:/bin", "WORD=given"]) == (0, "given\n"))
    }

    /// waitpid(2): ECHILD of a child that was waited for already.
    @Test func aChildThatIsGoneHasNotSucceeded() throws {
        let pipe = try Pipe(name: "none")
        let child = try ChildProcess(["true"], input: pipe.reading.rawValue, output: pipe.writing.rawValue)
        #expect(child.wait() == 0 && child.wait() == 127)
    }

    @Test func aSignalReachesItThoughOurThreadsBlockThem() throws {
        let ended = try NamedThread(name: "blocks") {
            do {
                let (status, _) = try self.run("echo begun; exec sleep 600", signal: SIGTERM)
                #expect(status == 128 + SIGTERM)
            } catch { Issue.record(error) }
        }
        ended.join()
    }

    @Test func whatIsNoProgramIsRefused() throws {
        let pipe = try Pipe(name: "none")
        #expect(throws: SystemError(code: ENOENT, operation: "start", place: "no-such-program")) {
            try ChildProcess(["no-such-program"], input: pipe.reading.rawValue, output: pipe.writing.rawValue)
        }
    }

    /// kill(2): signal 0 only asks whether there is such a process; ESRCH once it was waited for.
    @Test func aSignalSaysWhetherItIsThere() throws {
        let pipe = try Pipe(name: "none")
        let child = try ChildProcess(["sleep", "600"], input: pipe.reading.rawValue, output: pipe.writing.rawValue)
        #expect(child.signal(0) == true && child.signal(SIGKILL) == true)
        #expect(child.wait() == 128 + SIGKILL)
        #expect(child.signal(0) == false)
    }
}
