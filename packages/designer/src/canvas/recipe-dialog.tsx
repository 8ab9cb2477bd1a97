import { useState } from "react";
import { defaultAnswers, type Answers, type Recipe } from "../catalog/recipes.ts";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { Field } from "../controls/field.tsx";
import { strings } from "../strings.ts";

interface RecipeDialogProps {
  readonly recipe: Recipe;
  readonly onInsert: (answers: Answers) => void;
  readonly onClose: () => void;
}

/** The questions of a recipe. Each has a default answer, so that Enter is enough. */
export function RecipeDialog({ recipe, onInsert, onClose }: RecipeDialogProps) {
  const [answers, setAnswers] = useState(() => defaultAnswers(recipe));
  const isComplete = recipe.questions.every(({ name }) => (answers[name] ?? "").trim() !== "");
  return (
    <Dialog
      title={recipe.title}
      onClose={onClose}
      onSubmit={() => isComplete && onInsert(answers)}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={!isComplete}>
            {strings.canvas.insertRecipe}
          </Button>
        </>
      }
    >
      <p className="muted">{recipe.summary}</p>
      {recipe.questions.map(({ name, label, isNumber }, index) => (
        <Field key={name} label={label}>
          {(control) => (
            <input
              {...control}
              className="input"
              type={isNumber === true ? "number" : "text"}
              min={isNumber === true ? 0 : undefined}
              autoFocus={index === 0}
              autoComplete="off"
              value={answers[name] ?? ""}
              onChange={(event) => setAnswers({ ...answers, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
    </Dialog>
  );
}
