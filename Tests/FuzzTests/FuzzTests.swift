// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import RecordingFuzz

/// The short form; `make fuzz` runs ten million.
@Suite struct FuzzTests {
    private static let corpus =
        #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" } + "/Fuzz/corpus"

    @Test(.timeLimit(.minutes(10))) func damagedFilesGiveErrorsAndNoCrash() throws {
        let corpus = try Corpus(Self.corpus)
        let folder = (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/studyd-fuzz-test-\(getpid())"
        let desk = try FuzzDesk(folder: folder)
        for number in 0..<400 {
            let (bytes, target) = corpus.input(number)
            target.run(bytes, desk)
        }
    }

    /// What is sealed is opened before it is damaged, so that the damage gets through.
    @Test func theSeedsThatAreSealedOpen() throws {
        let corpus = try Corpus(Self.corpus)
        let sealed = zip(corpus.names, corpus.seeds).filter { $0.0.hasSuffix(".age") }
        #expect(try sealed.map { try AgeReader.open($0.1, FuzzDesk.identities).count } == [0, 300])
    }

    /// Executions that once ended the process; none may again, whatever became of the seeds.
    @Test func theSeedsThemselvesAreRead() throws {
        let corpus = try Corpus(Self.corpus)
        #expect(corpus.seeds.count >= 17)
        let folder = (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/studyd-fuzz-seeds-\(getpid())"
        let desk = try FuzzDesk(folder: folder)
        for bytes in corpus.seeds { for target in FuzzTarget.allCases { target.run(bytes, desk) } }
    }

    @Test func anExecutionIsTheSameEveryTime() throws {
        let corpus = try Corpus(Self.corpus)
        for number in [0, 7, 123_456_789] {
            let (first, second) = (corpus.input(number), corpus.input(number))
            #expect(first.bytes == second.bytes && first.target == second.target)
        }
    }
}
