// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc

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
        case "damage" where words.count >= 3: try damage(Int(words[2]) ?? 0)
        case "recordings" where words.count == 3: try DamageCorpus.write(to: words[2])
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

    /// `perFormat` damages of every format; all beside a description must be found.
    private static func damage(_ perFormat: Int) throws {
        var run = try DamageRun(folder: "/dev/shm/studyd-damage-\(getpid())-run")
        defer { run.end() }
        let faults = run.faultsOfTheWhole()
        guard faults.isEmpty else {
            for fault in faults { print("WHOLE BUT REFUSED: \(fault)") }
            exit(1)
        }
        run.run(0..<perFormat * DamageRun.formats)
        print(run.table)
        for setting in DamageRun.Setting.allCases {
            let (found, all) = run.total(setting)
            print("\(setting), all formats: \(found) of \(all) found")
        }
        for line in run.missed.prefix(50) { print("MISSED: \(line)") }
        if !run.missed.isEmpty { exit(1) }
    }

    /// The bytes of an execution, for looking at what it did.
    private static func show(_ corpus: String, _ number: Int) throws {
        let (bytes, _) = try Corpus(corpus).input(number)
        write(1, bytes, bytes.count)
    }
}
