// Waits until a browser of devtools.mjs or firefox.mjs shows something. Both have `errors`, and evaluate(expression): a promise.
export class Waiting {
	async until(expression) {
		for (;;) {
			/* One that comes while it is asked may come with what is waited for. */
			const isWrong = this.errors.length > 0;
			if (await this.evaluate(expression))
				return;
			if (isWrong)
				throw new Error(this.errors.slice(0, 5).join("; "));
			await new Promise((done) => setTimeout(done, 50));
		}
	}

	// The page's tables follow the view by a timer of 150 ms. A later timer of the page's own comes after it, however
	// busy the machine is.
	async settled() {
		await this.evaluate("new Promise((done) => setTimeout(done, 250))");
		await this.until("!document.getElementById('span').textContent.startsWith('Counting')");
	}
}
