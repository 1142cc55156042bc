// SPDX-License-Identifier: Apache-2.0
import Study

/// A module's `unlock_after`: open once a module of each of the ids was completed. `TaskAccess` asks it whether
/// the task can be opened.
///
/// The app keeps the set of ids of completed tasks and asks for each whether it is in there
/// (`checkTaskIsUnlocked`), so of several modules of one id any will do, and an id that no module
/// has is never found.
struct SchemaLock: Condition, Hashable {
    /// For each id the keys of the modules that have it; where none has, the lock never opens.
    let modules: [[String]]

    func holds(_ facts: StudyFacts) -> Bool {
        modules.allSatisfy { $0.contains(where: facts.completedTasks.contains) }
    }
}
