// SPDX-License-Identifier: Apache-2.0
import Glibc
import Recording

/// Damaged files for everything that reads recordings.
@main struct Fuzz {
    static func main() throws {
        let words = CommandLine.arguments
        switch words.dropFirst().first {
        case "run" where words.count >= 4:
            try run(words[2], Int(words[3]) ?? 0, from: words.count > 4 ? Int(words[4]) ?? 0 : 0)
        case "batch" where words.count == 6:
            try Batches.batch(Corpus(words[2]), from: Int(words[3]) ?? 0, count: Int(words[4]) ?? 0, folder: words[5])
        case "input" where words.count == 4: try show(words[2], Int(words[3]) ?? 0)
        case "seeds" where words.count == 3: try SeedMaker.make(in: words[2])
        default:
            print(FuzzFault.usage)
            exit(2)
        }
    }

    private static func run(_ corpus: String, _ count: Int, from first: Int) throws {
        var batches = Batches(corpus: corpus)
        try batches.run(from: first, count: count)
        print("executions: \(batches.done)")
        print("crashes and standstills: \(batches.crashes.count)")
        for (number, signal) in batches.crashes {
            let target = try Corpus(corpus).input(number).target
            print("execution \(number), \(target), signal \(signal): RecordingFuzz input \(corpus) \(number) > file")
        }
        if !batches.crashes.isEmpty || batches.done < count { exit(1) }
    }

    /// The bytes of an execution, for looking at what it did.
    private static func show(_ corpus: String, _ number: Int) throws {
        let (bytes, _) = try Corpus(corpus).input(number)
        write(1, bytes, bytes.count)
    }
}
